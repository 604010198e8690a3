"""What was computed from an object is kept with it, and goes when it goes."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_NOTHING = object()
Function = TypeVar("Function", bound=Callable[..., Any])


def kept(most: int) -> Callable[[Function], Function]:
    """Keep the last results of a function with its first argument.

    Pages ask again on every click, and several people use one server: kept so, nobody's
    results push out another's, and no table outlives the run that it belongs to.

    Parameters
    ----------
    most : int
        Results that are kept for each first argument, a frozen object; the others must
        be hashable, and objects among them count as the same only if they are.

    Examples
    --------
    >>> class Table: ...
    >>> @kept(1)
    ... def square(table, number):
    ...     print("computing")
    ...     return number**2
    >>> table = Table()
    >>> square(table, 3), square(table, 3)
    computing
    (9, 9)
    """

    def decorate(function: Function) -> Function:
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def found(owner: Any, *others: Any) -> Any:
            results = owner.__dict__.setdefault("_kept", {}).setdefault(name, {})
            answer = results.pop(others, _NOTHING)  # people may share the owner
            if answer is _NOTHING:
                answer = function(owner, *others)
            results[others] = answer  # the last asked for goes last
            for old in list(results)[:-most]:
                results.pop(old, None)
            return answer

        return found  # type: ignore[return-value] # it has the function's signature

    return decorate
