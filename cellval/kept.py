"""What was computed from an object is kept with it, and goes when it goes."""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_looking = threading.Lock()  # held while results are looked up, never while computing


def keep(function: Callable[..., Any], answer: Any, owner: Any) -> None:
    """Let this be what a function that is kept gives for its only argument."""
    with _looking:
        results = owner.__dict__.setdefault("_kept", {})
        results.setdefault(_name(function), {})[()] = answer


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def kept(most: int) -> Callable[[Function], Function]:
    """Keep the last results of a function with its first argument.

    Pages ask again on every click, and several people use one server: kept so, nobody's
    results push out another's, and no table outlives the run that it belongs to. So
    many results are kept for each first argument, a frozen object; the others must be
    hashable, and objects among them count as the same only if they are.
    """

    def decorate(function: Function) -> Function:
        name = _name(function)

        @wraps(function)
        def found(owner: Any, *others: Any) -> Any:
            with _looking:
                results = owner.__dict__.setdefault("_kept", {}).setdefault(name, {})
                known, answer = others in results, results.get(others)
            if not known:
                answer = function(owner, *others)
            with _looking:
                results.pop(others, None)
                results[others] = answer  # the last asked for goes last
                while len(results) > most:
                    del results[next(iter(results))]
            return answer

        return found  # type: ignore[return-value] # it has the function's signature

    return decorate
