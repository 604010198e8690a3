"""Small results as JSON: dataclasses of arrays, texts and numbers."""

from collections import abc
from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

Result = TypeVar("Result")
ARRAY = "array"
NUMBERS = "fiub"  # kinds of dtypes


def told(result: Any) -> dict[str, Any]:
    """The fields of a dataclass.

    Examples
    --------
    >>> from cellval.project.source import Setup
    >>> told(Setup(label="y"))["exclude"]
    []
    """
    return {field.name: _plain(getattr(result, field.name)) for field in fields(result)}


def again(kind: type[Result], saved: Mapping[str, Any]) -> Result:
    """A dataclass from what `told` gave; TypeError if it is something else: a project
    may come from anybody.
    """
    hints = get_type_hints(kind)
    found = {name: _restored(value) for name, value in saved.items()}
    for name, value in found.items():
        if not _fits(value, hints.get(name)):
            raise TypeError(f"{name} is something else")
    return kind(**found)


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, one) for one in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        every = inner[:1] * len(value) if inner[-1] is ... else inner
        return len(value) == len(every) and all(map(_fits, value, every))
    if origin is abc.Mapping:
        fits = isinstance(value, abc.Mapping)
        return fits and all(_fits(one, inner[1]) for one in value.values())
    if hint is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype.kind in NUMBERS
    known: Any = {float: int | float, None: ()}.get(hint, hint)
    return hint is Any or isinstance(value, known)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {ARRAY: value.tolist(), "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return dict(value) if isinstance(value, Mapping) else value


def _restored(value: Any) -> Any:
    if isinstance(value, Mapping) and ARRAY in value:
        dtype = np.dtype(value["dtype"])
        if dtype.kind not in NUMBERS or dtype.itemsize > 8:  # a text may be endless
            raise TypeError("an array holds no numbers")
        return np.array(value[ARRAY], dtype)
    if isinstance(value, list):
        return tuple(_restored(one) for one in value)
    return value
