"""`Result`: what an experiment found beside the paper, and how it is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

SUMMARY = "summary.csv"  # of all experiments that were run into a folder


@dataclass(frozen=True)
class Line:
    """One line of the table of results."""

    what: str
    paper: str
    ours: str


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment found.

    Attributes
    ----------
    name : str
    frame : DataFrame
        Every number behind the figure, one observation a row.
    figure : Figure
    paragraph : str
        Our numbers beside the paper's: where they agree or differ, and why.
    lines : sequence of Line
    """

    name: str
    frame: pd.DataFrame
    figure: go.Figure
    paragraph: str
    lines: Sequence[Line]


def write(result: Result, folder: Path) -> list[Path]:
    """Write NAME.csv, NAME.html and NAME.md, and the lines into the summary."""
    folder.mkdir(parents=True, exist_ok=True)
    table, picture, text = (
        folder / f"{result.name}.{e}" for e in ("csv", "html", "md")
    )
    result.frame.to_csv(table, index=False, float_format="%.6g")
    result.figure.write_html(picture, include_plotlyjs=True)
    text.write_text(result.paragraph + "\n", encoding="utf-8")
    own = pd.DataFrame([vars(line) for line in result.lines])
    own.insert(0, "experiment", result.name)
    summary = folder / SUMMARY
    if summary.exists():
        known = pd.read_csv(summary, dtype=str, keep_default_na=False)
        own = pd.concat([known[known["experiment"] != result.name], own])
    own.to_csv(summary, index=False)
    return [table, picture, text, summary]
