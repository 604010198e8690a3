"""Pieces of work on an executor, their results in order; utilities that can stop."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any

import numpy as np

from cellval.games.model_utility import line, line_by_calls

TICK = 0.5  # seconds between two signs of life


def in_order(
    function: Callable[..., Any],
    work: Iterable[tuple[Any, ...]],
    executor: Executor | None,
    n_jobs: int,
    every: float | None = None,
) -> Iterator[Any]:
    """Yield the result of each piece; few of them wait at a time.

    Closing the iterator cancels those that have not begun. Without an executor the
    work is done here.

    Parameters
    ----------
    every : float, optional
        Yield None whenever so many seconds went by without a result.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(in_order(pow, [(2, 3), (3, 2)], pool, 2))
    [8, 9]
    """
    if executor is None:
        yield from (function(*piece) for piece in work)
        return
    following = iter(work)
    waiting: deque[Future[Any]] = deque()
    try:
        while True:
            while len(waiting) < 2 * n_jobs:
                piece = next(following, None)
                if piece is None:
                    break
                waiting.append(executor.submit(function, *piece))
            if not waiting:
                return
            try:
                result = waiting[0].result(every)
            except NotYet:
                if waiting[0].done():  # the piece's own timeout
                    raise
                yield None
                continue
            waiting.popleft()
            yield result
    finally:
        for future in waiting:
            future.cancel()


class Stopped(Exception):
    """The run is over; nobody waits for this evaluation."""


class Watched:
    """A utility that counts its evaluations and can be stopped from outside."""

    def __init__(self, h: Any) -> None:
        self._h = h
        self.n = 0
        self.stop = False

    def __call__(self, *players: np.ndarray) -> float:
        if self.stop:
            raise Stopped
        self.n += 1  # two threads may lose one: it is for progress only
        return float(self._h(*players))

    def line(
        self, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
    ) -> np.ndarray:
        """As `ModelUtility.line`; stopped within it where it is made of calls."""
        if self.stop:
            raise Stopped
        if not hasattr(self._h, "line") or not getattr(self._h, "compiled", True):
            return line_by_calls(self, rows, columns, wanted)
        self.n += len(columns)
        return line(self._h, rows, columns, wanted)
