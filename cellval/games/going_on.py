"""Games that go on where an earlier run was stopped, to the same bits."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cellval.parallel import Computation, Piece, Result, State
from cellval.values.settings import nothing_to_go_on

Arrays = Mapping[str, np.ndarray]


class Continuable(Computation[State, Result]):
    """What is known can be told as arrays, of (columns, rows), and taken up again."""

    def told(self, state: State) -> dict[str, np.ndarray]:
        """Nothing: it begins anew."""
        return {}

    def restored(self, told: Arrays) -> State:
        """What was known then.

        Raises KeyError or ValueError if it was told by another game: a file may say
        anything.
        """
        raise KeyError

    def done(self, state: State) -> float:
        """How much of the work is in it."""
        raise NotImplementedError

    def left(self, state: State) -> Iterable[Piece]:
        """The pieces after it, in order."""
        raise NotImplementedError

    def pieces(self) -> Iterable[Piece]:
        return self.left(self.begin())


@dataclass(eq=False)
class GoingOn(Computation[State, tuple[Result, Arrays]]):
    """A game without the pieces that were done before; its results come with what the
    next run needs to go on.
    """

    game: Continuable[State, Result]
    known: Arrays | None = None  # what an earlier run told

    def __post_init__(self) -> None:
        self.total, self.processes = self.game.total, self.game.processes
        self._begun = self.game.begin()
        if self.known is not None:
            try:
                self._begun = self.game.restored(self.known)
            except (KeyError, ValueError, TypeError, OverflowError) as error:
                raise nothing_to_go_on() from error
            self.before = self.game.done(self._begun)
        self._latest = self._begun

    @property
    def begun(self) -> Callable[[], Arrays] | None:
        """Tells what is known now, if it is anything."""
        is_any = self.game.done(self._latest) > 0
        return partial(self.game.told, self._latest) if is_any else None

    def prepare(self) -> None:
        self.game.prepare()

    def pieces(self) -> Iterable[Piece]:
        return self.game.left(self._begun)

    def begin(self) -> State:
        return self._begun

    def add(self, state: State, answer: Any) -> State:
        self._latest = self.game.add(state, answer)
        return self._latest

    def make(self, state: State) -> Callable[[], tuple[Result, Arrays]] | None:
        make = self.game.make(state)
        return None if make is None else lambda: (make(), self.game.told(state))

    def seen(self, state: State) -> str:
        return self.game.seen(state)

    def stderr(self, state: State) -> float:
        return self.game.stderr(state)

    def done_inside(self) -> float:
        return self.before + self.game.done_inside()

    def stop(self) -> None:
        self.game.stop()


def stacked(numbers: np.ndarray, n_columns: int, n_rows: int) -> np.ndarray:
    """As layers of (columns, rows); the last one is filled up with NaN."""
    size = n_columns * n_rows
    layers = np.full((-(-numbers.size // size), n_columns, n_rows), np.nan)
    layers.flat[: numbers.size] = numbers
    return layers


def unstacked(layers: np.ndarray) -> np.ndarray:
    known = np.isfinite(layers.ravel())
    if (np.diff(known.astype(int)) > 0).any():
        raise ValueError("there is a gap")
    return np.asarray(layers.ravel()[known], float)


def shaped(told: Arrays, name: str, *shape: int) -> np.ndarray:
    """One of the arrays as it was; KeyError or ValueError if it has another shape."""
    if told[name].shape != shape[::-1]:
        raise ValueError(name)
    return np.ascontiguousarray(told[name].T, float)
