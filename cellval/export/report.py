"""One HTML file with all that was found: it opens without a server and a network."""

import re
from collections.abc import Callable, Mapping
from datetime import date as Date
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io

from cellval.detect.placeholders import missing_codes
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import (
    CORNERS,
    SURPRISING,
    Suspicion,
    check_values,
    make_suspicion,
)
from cellval.errors import require
from cellval.export.frames import n_listed, safe_frame, suspects_list, suspects_sentence
from cellval.export.listings import Listing, compared, template
from cellval.figures.heatmap import heatmap, place_scale
from cellval.figures.layout import PLOT_HEIGHT
from cellval.figures.overview import overview
from cellval.figures.palette import SELECTED
from cellval.glossary import DECIDED, STDERR_HELP, VALUE_HELP
from cellval.methods import about
from cellval.repairs.comparison import Comparison
from cellval.repairs.decisions import read_decisions, repairs_of
from cellval.repairs.repair import WORDS, Repairs, changes_frame
from cellval.stats import SURE
from cellval.table.table import Table, as_table
from cellval.text import (
    brief,
    content,
    counted,
    cut,
    joined,
    one_in,
    percent,
)
from cellval.values.result import CellValues
from cellval.values.words import colour_words, made_words
from cellval.views.bands import bands
from cellval.views.corners import corner_counts
from cellval.views.value_view import ValueView, value_view

MOST_LISTED = 200  # suspects
MOST_CHANGES = 2_000
WHOLE_ROWS = 200  # larger tables are drawn as their most suspicious rows
MOST_ROWS, MOST_COLUMNS = 100, 60  # drawn of them
LONGEST = 300  # characters of a text


def report(
    table: Table | pd.DataFrame,
    values: CellValues | None = None,
    *,
    decisions: Any = None,
    comparison: Comparison | None = None,
    title: str = "",
    random_state: int = 0,
) -> bytes:
    """A standalone HTML page of all that was found, decided, changed and measured.

    Parameters
    ----------
    table : Table or DataFrame
    values : CellValues, optional
        Of the same table; without it, surprise alone decides.
    decisions
        As for `cellval.repair`; from a file, also what was only decided.
    comparison : Comparison, optional
        From `cellval.compare_models`.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> cellval.report(table)[:15]
    b'<!doctype html>'
    """
    table = as_table(table)
    check_values(table, values)
    is_made = comparison is None or isinstance(comparison, Comparison)
    require("comparison", comparison, is_made, "what cellval.compare_models made")
    found = surprise(table, random_state=random_state)
    known: dict[str, Any] = {}
    if decisions is not None and not isinstance(decisions, Mapping):
        known["decisions"], known["repairs"] = read_decisions(decisions, table)
    elif decisions is not None:
        known["repairs"] = repairs_of(table, decisions)
    suspicion = make_suspicion(table, values, found)
    return report_html(suspicion, comparison=comparison, title=title, **known)


def report_html(
    suspicion: Suspicion,
    *,
    repairs: Repairs | None = None,
    decisions: Mapping[tuple[int, str], str] | None = None,
    comparison: Comparison | None = None,
    original: Table | None = None,
    title: str = "",
    date: Date | None = None,
) -> bytes:
    """A standalone HTML file (UTF-8): what was found, decided, changed and measured.

    `original` is the table before the repairs, if `suspicion` is of the repaired one.
    With the same date (else today), the same input gives the same bytes.
    """
    repairs, decisions = repairs or {}, decisions or {}
    page = {
        "title": brief(title or f"Suspects in {suspicion.table.name}", LONGEST),
        **_looked_at(suspicion, original, date or Date.today()),
        **_found(suspicion),
        "pictures": _pictures(suspicion),
        **_suspects(suspicion, repairs, decisions),
        **_changes(original or suspicion.table, repairs, decisions),
        "accuracy": None if comparison is None else compared(comparison),
        "value_help": _value_help(suspicion.values),
        "stderr_help": STDERR_HELP,
        "surprising_below": one_in(SURPRISING),
        "sure": f"{SURE:g}",
    }
    return template("report.html").render(page).encode("utf-8", "replace")


# --- sections -------------------------------------------------------------------------


def _looked_at(
    suspicion: Suspicion, original: Table | None, date: Date
) -> dict[str, Any]:
    table = suspicion.table
    counts = np.bincount(table.labelled.y, minlength=len(table.classes))
    classes = [
        f"{brief(text, 30)} ({counted(n, 'row')})"
        for text, n in zip(table.classes, counts.tolist(), strict=True)
    ]
    facts = {
        "File": brief(table.name, LONGEST),
        "Size": f"{counted(table.n_rows, 'row')}, "
        f"{counted(table.cells.shape[1], 'column')} of which "
        f"{len(table.features):,} were looked at as features",
        "Label": f"{brief(table.label)}: {joined(classes, 12)}",
        "Values": made_words(values.settings, values.tested)
        if (values := suspicion.values)
        else "not computed: surprise alone decides",
        "Date": date.isoformat(),
    }
    return {
        "facts": facts,
        "is_repaired": original is not None and original is not table,
        "notes": [brief(note, LONGEST) for note in table.notes],
    }


APART = "lies apart from all other numbers of the column: it "


def _found(suspicion: Suspicion) -> dict[str, Any]:
    size, counts = suspicion.scores.size, corner_counts(suspicion)
    odd = counts["error"] + counts["odd"]
    lines = [
        (f"{words[0].upper()}{words[1:]}", f"{count:,}", percent(count / size))
        for words, count in zip(CORNERS.values(), counts.values(), strict=True)
    ]
    names = ("Does it hurt, and is it surprising?", "Cells", "Share")
    codes = [
        f"{code.text} in '{brief(code.column)}' ({counted(code.n_cells, 'cell')}) "
        f'{"" if np.isnan(code.number) else APART}may stand for "missing".'
        for code in missing_codes(suspicion.table)
    ]
    return {
        "n_suspects": suspects_sentence(suspicion),
        "surprise_is_final": suspicion.surprise.is_final,
        "corners": None if suspicion.values is None else Listing(names, "snn", lines),
        "surprising": f"{counted(odd, 'cell')} surprising ({percent(odd / size)}).",
        "codes": codes,
    }


def _pictures(suspicion: Suspicion) -> list[tuple[str, str]]:
    """What to see in each figure, and the figure as a piece of HTML by plotly."""
    if suspicion.values is None:
        return []
    n, m = suspicion.scores.shape
    view = value_view(suspicion.values)
    suspects = suspicion.first(suspicion.n_flagged)
    outlined = {(int(at) // m, int(at) % m) for at in suspects}
    rows, columns = np.arange(n), np.arange(m)
    which, more = "Every cell", []
    if m > MOST_COLUMNS:
        columns = np.sort(_worst(suspicion, lambda at: at % m, MOST_COLUMNS))
        which = f"The {MOST_COLUMNS} most suspicious columns of {m:,}"
    if n > WHOLE_ROWS:
        rows = _worst(suspicion, lambda at: at // m, MOST_ROWS)
        which = (
            f"The {MOST_ROWS} most suspicious rows of {n:,}, worst first,"
            + f" and the {MOST_COLUMNS} most suspicious columns of {m:,},"
            * (m > MOST_COLUMNS)
        )
        more = [_overview(view, n)]
    figure = heatmap(view, rows, columns, outlined=outlined)
    # A page may be longer than a screen: rows of at least 6 pixels show their outlines.
    taller = max(0, 6 * len(rows) - PLOT_HEIGHT)
    figure.update_layout(height=figure.layout.height + taller)
    place_scale(figure)
    seen = {"color": SELECTED, "width": 2}  # in light and dark
    figure.update_traces(line=seen, selector={"name": "outlined"})
    caption = (
        f"{which} as a colour: {colour_words(view.values.settings)}. Cells with a "
        "frame are suspects. Bars on top are the columns' values, the strip on the "
        "right the rows'. The names on the left are ids."
    )
    return [(caption, _drawn(figure, "heatmap", first=True)), *more]


def _worst(
    suspicion: Suspicion, place: Callable[[np.ndarray], np.ndarray], k: int
) -> np.ndarray:
    """The k different rows or columns, places of cells, that come first."""
    n = k
    while True:  # all cells are not put in order for a few
        n *= 4
        found, first = np.unique(place(suspicion.first(n)), return_index=True)
        if found.size >= k or n >= suspicion.scores.size:
            return np.asarray(found[np.argsort(first)][:k])


def _overview(view: ValueView, n_rows: int) -> tuple[str, str]:
    order = np.arange(n_rows)
    pooled = bands(view.values.values, order)
    n_bands, n_groups = pooled.lowest.shape
    grouped = n_groups < len(view.values.column_names)
    caption = (
        f"All {n_rows:,} rows in the order of the file, in {n_bands:,} bands"
        f"{' and groups of neighbouring columns' * grouped}. Each shows its lowest "
        "cell: the darker, the lower."
    )
    figure = overview(view, order, pooled, None, height=560)
    return caption, _drawn(figure, "overview")


def _drawn(figure: go.Figure, name: str, *, first: bool = False) -> str:
    """The figure as a piece of HTML; the first one brings plotly along."""
    content = figure.to_dict()
    for trace in content["data"]:
        # WebGL is missing in some viewers, and pictures of it do not print.
        if trace["type"] == "scattergl":
            trace["type"] = "scatter"
        if "hovertemplate" in trace:
            trace["hovertemplate"] = re.sub(
                r"<br>click[^<]*", "", trace["hovertemplate"]
            )
    text: str = plotly.io.to_html(
        content,
        full_html=False,
        include_plotlyjs=first,
        div_id=name,
        validate=False,
        config={"displaylogo": False, "responsive": True},
    )
    return text


def _suspects(
    suspicion: Suspicion, repairs: Repairs, decisions: Mapping[tuple[int, str], str]
) -> dict[str, Any]:
    k, n = n_listed(suspicion, MOST_LISTED), suspicion.n_flagged
    frame = suspects_list(suspicion, k, repairs=repairs, decisions=decisions)
    cells = np.unravel_index(suspicion.first(k), suspicion.scores.shape)
    frame["finding"] = suspicion.findings(cells)
    unit = value_view(suspicion.values).unit if suspicion.values is not None else None
    value = unit.with_error if unit else lambda value, error: ""
    with_id, decided = suspicion.table.id_column is not None, bool(repairs or decisions)
    # Heading, kind for `Listing`, whether it is shown, and the text of a line.
    columns: list[tuple[str, str, bool, Callable[[Any], str]]] = [
        ("Row", "n", True, lambda line: f"{line.row:,}"),
        ("Id", "t", with_id, lambda line: brief(line.id, 30)),
        ("Column", "t", True, lambda line: brief(line.column, 30)),
        ("Content", "t", True, lambda line: content(line.content, 60)),
        ("Value ± error", "n", unit is not None, lambda c: value(c.value, c.stderr)),
        ("Finding", "t", unit is not None, lambda line: line.finding),
        ("Odds", "t", True, lambda line: one_in(line.surprise)),
        ("Why", "s", True, lambda line: cut(line.reason, LONGEST)),
        ("Suggestion", "t", True, lambda line: brief(line.suggestion, 60)),
        ("Decision", "s", decided, _decided),
    ]
    names, kinds, _, texts = zip(*(c for c in columns if c[2]), strict=True)
    lines = [[text(line) for text in texts] for line in frame.itertuples()]
    more = []
    if n > k:
        more.append(f"The first {k:,} of {n:,} suspects.")
    elif n < k:
        more.append(
            f"{f'The first {n:,}' if n else 'None'} of these {k:,} "
            f"{'are suspects' if n > 1 else 'is a suspect'}; the grey ones come next "
            "in the ranking, and are listed only to fill the list."
        )
    if unit:
        more.append(f"Values are in {unit.name}: {unit.long}.")
    return {
        "suspects_note": " ".join(more),
        "suspects": Listing(names, "".join(kinds), lines, n),
    }


def _decided(line: Any) -> str:
    """What a person decided on a cell, in words."""
    done = {
        "replace": f"replaced by {brief(line.after, 60)}",
        "blank": "blanked",
        WORDS["drop"]: "row dropped",
    }
    said = DECIDED.get(line.decision, "")
    return ", ".join(filter(None, (said, done.get(line.repair, ""))))


def _changes(
    table: Table, repairs: Repairs, decisions: Mapping[tuple[int, str], str]
) -> dict[str, Any]:
    said = list(decisions.values())
    words = [
        f"{said.count(key):,} {word}" for key, word in DECIDED.items() if key in said
    ]
    decided = "No cell was marked as wrong, fine or unsure." if repairs else ""
    if said:
        decided = f"Decided on {counted(len(said), 'cell')}: {', '.join(words)}."
    if not repairs:
        return {"decided": decided, "changes": None}
    frame = safe_frame(changes_frame(table, repairs))
    first = f"; the first {MOST_CHANGES:,} are listed" * (len(frame) > MOST_CHANGES)
    with_id = table.id_column is not None
    lines = [
        [
            f"{line.row:,}",
            *[cut(line.id, LONGEST)] * with_id,
            *(cut(text, LONGEST) for text in (line.column, line.before)),
            cut(line.after, LONGEST) or "(blank)",
            cut(line.reason, LONGEST),
        ]
        for line in frame.head(MOST_CHANGES).itertuples()
    ]
    names = ("Row", *["Id"] * with_id, "Column", "Before", "After", "Why")
    return {
        "decided": decided,
        "changes_note": f"{counted(len(frame), 'change')}, in the order of deciding"
        f"{first}.",
        "changes": Listing(names, f"n{'t' * with_id}ttts", lines),
    }


def _value_help(values: CellValues | None) -> str:
    """What a value means; nothing where there is none."""
    if values is None:
        return ""
    settings = values.settings
    return VALUE_HELP if settings.additive else about(settings.method).means
