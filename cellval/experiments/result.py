"""`Reproduction`: the numbers of an experiment beside the paper's, and their files."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.whole_files import write_whole


@dataclass(frozen=True)
class Number:
    """One line of NAME.csv."""

    what: str
    ours: float  # in its unit: 79.3 and "%", not 0.793
    unit: str = ""
    paper: str = ""  # what the paper has, as it says it; empty where it says nothing
    plus_minus: float = math.nan  # deviation over seeds unless `what` says otherwise

    def __str__(self) -> str:
        text = _short(self.ours, "+" if self.unit == "points" else "")
        if not math.isnan(self.plus_minus):
            text += f" ± {_short(self.plus_minus)}"
        return f"{text} {self.unit}".rstrip()


def _short(number: float, sign: str = "") -> str:
    many = abs(number) >= 1000 or float(number).is_integer()
    return f"{number:{sign},.0f}" if many else f"{number:{sign}.3g}"


def over_seeds(
    what: str, numbers: Iterable[float], unit: str = "", paper: str = ""
) -> Number:
    """The mean over seeds, and the standard deviation where there are several."""
    known = np.array(list(numbers), float)
    spread = float(known.std(ddof=1)) if known.size > 1 else math.nan
    return Number(what, float(known.mean()), unit, paper, spread)


@dataclass(frozen=True, eq=False)
class Reproduction:
    """What an experiment found."""

    name: str
    numbers: Sequence[Number]  # those worth telling, and the sizes they come from
    points: pd.DataFrame  # everything that was measured, one observation a row
    figure: go.Figure


def as_frame(numbers: Sequence[Number]) -> pd.DataFrame:
    """One line per number."""
    columns = ["what", "ours", "plus_minus", "unit", "paper"]
    return pd.DataFrame([vars(number) for number in numbers])[columns]


def read_numbers(path: Path) -> list[Number]:
    """The lines of a NAME.csv."""
    text = {"unit": str, "paper": str}
    blank = {"plus_minus": [""]}
    frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=blank)
    return [Number(**line) for line in frame.to_dict("records")]


def as_text(numbers: Sequence[Number]) -> str:
    """A table for the terminal."""
    lines = [("", "ours", "paper")]
    lines += [(n.what, str(n), n.paper or "-") for n in numbers]
    first, second = (max(len(line[k]) for line in lines) for k in (0, 1))
    return "\n".join(f"{a:{first}}  {b:>{second}}  {c}".rstrip() for a, b, c in lines)


def write(made: Reproduction, folder: Path, *, quick: bool = False) -> list[Path]:
    """Write NAME.csv, NAME_points.csv and NAME.html; NAME_quick... of a short version.

    So a short version never takes the place of numbers that are kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{made.name}_quick" if quick else made.name
    numbers, points, picture = (
        folder / f"{name}{end}" for end in (".csv", "_points.csv", ".html")
    )
    for path, frame in ((numbers, as_frame(made.numbers)), (points, made.points)):
        write_whole(path, frame.to_csv(index=False, float_format="%.6g").encode())
    write_whole(picture, made.figure.to_html(include_plotlyjs=True).encode())
    return [numbers, points, picture]
