"""Small results as JSON: dataclasses of arrays, texts and numbers."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")
ARRAY = "array"


def told(result: Any) -> dict[str, Any]:
    """The fields of a dataclass.

    Examples
    --------
    >>> from cellval.project.source import Setup
    >>> told(Setup(label="y"))
    {'label': 'y', 'id_column': None, 'exclude': [], 'kinds': [], 'has_label': True}
    """
    return {field.name: _plain(getattr(result, field.name)) for field in fields(result)}


def again(kind: type[Result], saved: Mapping[str, Any]) -> Result:
    """A dataclass from what `told` gave."""
    return kind(**{name: _restored(value) for name, value in saved.items()})


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
        return np.array(value[ARRAY], np.dtype(value["dtype"]))
    if isinstance(value, list):
        return tuple(_restored(one) for one in value)
    return value
