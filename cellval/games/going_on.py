"""Games that go on where an earlier run was stopped, to the same bits."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
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

    def restored(self, told: Arrays) -> tuple[int, State]:
        """How many pieces were done, and what was known then.

        Raises KeyError or ValueError if it was told by another game: a file may say
        anything.
        """
        raise KeyError


@dataclass(eq=False)
class GoingOn(Computation[State, tuple[Result, Arrays]]):
    """A game without the pieces that were done before; its results come with what the
    next run needs to go on.
    """

    game: Continuable[State, Result]
    known: Arrays | None = None  # what an earlier run told

    def __post_init__(self) -> None:
        self.total, self.processes = self.game.total, self.game.processes
        self._n_done, self._begun = 0, self.game.begin()
        if self.known is not None:
            try:
                self._n_done, self._begun = self.game.restored(self.known)
                done = [*islice(self.game.pieces(), self._n_done)]
            except (KeyError, ValueError, TypeError, OverflowError) as error:
                raise nothing_to_go_on() from error
            self.before = sum(piece.work for piece in done)

    def prepare(self) -> None:
        self.game.prepare()

    def pieces(self) -> Iterator[Piece]:
        return islice(self.game.pieces(), self._n_done, None)

    def begin(self) -> State:
        return self._begun

    def add(self, state: State, answer: Any) -> State:
        found: State = self.game.add(state, answer)
        return found

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


def shaped(told: Arrays, name: str, *shape: int) -> np.ndarray:
    """One of the arrays as it was; KeyError or ValueError if it has another shape."""
    if told[name].shape != shape[::-1]:
        raise ValueError(name)
    return np.ascontiguousarray(told[name].T, float)
