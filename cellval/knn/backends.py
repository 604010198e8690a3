"""Where values are computed: on the processor, or on a GPU."""

import os
from functools import cache

from cellval.errors import InputError
from cellval.values.options import BACKENDS

VARIABLE = "CELLVAL_BACKEND"


def of_the_app() -> str:
    """Where runs of the app compute: as the environment variable says.

    Examples
    --------
    >>> of_the_app()
    'cpu'
    """
    backend = os.environ.get(VARIABLE, "").strip() or "cpu"
    if backend not in BACKENDS:
        raise InputError(
            f"The environment variable {VARIABLE} is {backend!r}; set it to "
            f"{' or '.join(BACKENDS)}."
        )
    return backend


def chosen(backend: str) -> str:
    """ "cpu" or "cuda"; for "auto" the GPU where one is there.

    InputError if a GPU is asked for that is not there.
    """
    if backend == "cpu":
        return "cpu"
    missing = no_gpu()
    if backend == "auto":
        return "cpu" if missing else "cuda"
    if missing:
        raise InputError(
            f"backend='cuda' cannot be used: {missing} Leave it out, or use "
            "backend='auto', to compute on the processor."
        )
    return "cuda"


@cache
def no_gpu() -> str:
    """Why there is no GPU to compute on; nothing if there is one."""
    try:
        import cupy
    except ImportError:
        return (
            "CuPy is not installed (pip install 'cellval[cuda]', on a machine with an "
            "NVIDIA GPU)."
        )
    try:
        if cupy.cuda.runtime.getDeviceCount() > 0:
            return ""
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no NVIDIA GPU answers ({error})."
    return "no NVIDIA GPU was found."
