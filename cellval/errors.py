"""What a person can fix: one exception, and checks of options that raise it."""

from typing import Any

import numpy as np


class InputError(ValueError):
    """Something a person can fix: what is wrong, where, and what to do.

    Examples
    --------
    >>> import cellval
    >>> cellval.read("sample_data/davis.csv", label="six")
    Traceback (most recent call last):
    cellval.errors.InputError: davis.csv has no column 'six' (label). Did ...
    """


class CannotGoOn(InputError):
    """Values of an earlier run cannot be continued here: made otherwise, or too little
    is left of them.
    """


def check_text(what: str, text: Any) -> None:
    """InputError if it cannot be kept, or written into a file."""
    if not isinstance(text, str):
        raise InputError(f"{text!r} is no text, which {what} must be: '{text}'.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{text!r} holds half a character: {what} must be whole."
        ) from error


def require(name: str, value: Any, ok: bool, need: str) -> None:
    if not ok:
        raise InputError(f"{name}={value!r:.200} is not possible: it must be {need}.")


def is_whole(value: Any, least: int) -> bool:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        return False
    return bool(value >= least)


def is_positive(value: Any) -> bool:
    is_number = isinstance(value, (int, float, np.number))
    return value is None or (is_number and bool(value > 0))
