"""What the report and notebooks share: their templates, and tables of texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from cellval.repairs.comparison import Comparison
from cellval.text import counted, full, whole_percent


@dataclass(frozen=True)
class Listing:
    """A table of texts."""

    names: Sequence[str]
    kinds: str  # a letter per column: number, text as it is, sentence
    lines: Sequence[Sequence[str]]
    n_strong: float = np.inf  # lines after so many are faint


@cache
def template(name: str) -> jinja2.Template:
    """One of the templates of this room; what is put into it is escaped."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    ).get_template(name)


# --- models before and after ----------------------------------------------------------


def _errors(comparison: Comparison) -> dict[str, Any]:
    """Scores where the label is a number."""
    heads = ("Model", "R² before", "R² after", "Error before", "after", "Difference")
    lines = [
        [
            str(line.Index),
            *(f"{x:.3f}" if np.isfinite(x) else "–" for x in (line.before, line.after)),
            *(full(x, 3) for x in (line.error_before, line.error_after)),
            str(line.verdict),
        ]
        for line in comparison.frame().itertuples()
    ]
    return {
        "title": "Tested errors before and after",
        "means": "R² is 1 less the mean squared error in variances of the label: 1 is "
        "perfect, 0 no better than always saying the mean. Error is the mean absolute "
        "error, in the unit of the label; lower is better.",
        "models": Listing(heads, "tnnnns", lines),
    }


def _accuracy(comparison: Comparison) -> dict[str, Any]:
    """Scores where the label is classes."""
    lines = [
        [
            str(line.Index),
            _percent_with(line.before, line.before_spread),
            _percent_with(line.after, line.after_spread),
            str(line.verdict),
        ]
        for line in comparison.frame().itertuples()
    ]
    return {
        "title": "Tested accuracy before and after",
        "means": "Tested accuracy is the share that they predict rightly. ±: standard "
        "deviation of the repeats.",
        "models": Listing(("Model", "Before", "After", "Difference"), "tnns", lines),
    }


def compared(comparison: Comparison) -> dict[str, Any]:
    """Title, sentences and the listing of a comparison."""
    early = f"Stopped after {whole_percent(comparison.measured)} of the measurement."
    found = (_errors if comparison.of_numbers else _accuracy)(comparison)
    how = (
        "Models were trained with the repaired rows as they were and as they are now "
        f"({counted(comparison.n_touched, 'row')}, of which {comparison.n_dropped:,} "
        f"dropped), and predicted the {counted(comparison.n_tested, 'row')} that no "
        "repair changed, in repeated stratified cross-validation."
    )
    said = (how, found.pop("means"), early * (comparison.measured < 1), comparison.note)
    words = " ".join(filter(None, said))
    return {**found, "words": words, "reference": comparison.reference}


def _percent_with(share: float, spread: float) -> str:
    if not np.isfinite(share):
        return "–"
    return f"{100 * share:.1f}" + (
        f" ± {100 * spread:.1f} %" if np.isfinite(spread) else " %"
    )
