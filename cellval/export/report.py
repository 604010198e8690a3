"""One HTML file with all that was found: it opens without a server and a network."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date as Date
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io

from cellval.detect.surprise import surprise
from cellval.detect.suspicion import CORNERS, SURPRISING, Suspicion, make_suspicion
from cellval.export.frames import flagged_sentence, n_listed, safe_frame, suspects_list
from cellval.figures import heatmap, overview
from cellval.figures.heatmap import PLOT_HEIGHT
from cellval.figures.palette import SELECTED
from cellval.glossary import STDERR_HELP, VALUE_HELP
from cellval.methods import METHODS
from cellval.repairs.comparison import Comparison
from cellval.repairs.decisions import DECISIONS, read_decisions, repairs_of
from cellval.repairs.repair import WORDS, Repairs, changes_frame
from cellval.stats import SURE
from cellval.table.table import Table, as_table
from cellval.text import brief, content, joined, percent
from cellval.values.result import CellValues
from cellval.values.words import (
    Unit,
    approximation_words,
    design_words,
    method_words,
    model_words,
)
from cellval.views import value_view as views
from cellval.views.bands import bands

MOST_LISTED = 200  # suspects
MOST_CHANGES = 2_000
WHOLE_ROWS = 200  # larger tables are drawn as their most suspicious rows
MOST_ROWS, MOST_COLUMNS = 100, 60  # drawn of them
SCORED = ("leave-one-out", "hold-out", "table")  # kinds of test rows with a score
LONGEST = 300  # characters of a text

# Nothing is loaded from anywhere, whatever the file holds.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --faint: #5d6570;
  --line: #d5d9de; --tint: #f4f5f7; }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1.2rem; color: var(--ink);
  background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem;
  border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
h1, td, dd, li { overflow-wrap: break-word; unicode-bidi: isolate; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; }
dt { color: var(--faint); } dd { margin: 0; }
.faint { color: var(--faint); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; min-width: 28rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .55rem;
  border-bottom: 1px solid var(--line); max-width: 24rem; }
th { background: var(--tint); font-weight: 600; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.t { white-space: pre-wrap; max-width: 14rem; } td.s { min-width: 9rem; }
tr.more td { color: var(--faint); }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --paper: #14171b; --faint: #9aa3ad; --line: #343a42;
    --tint: #1e2329; }
  .js-plotly-plot .bars path { stroke: none !important; }
  .js-plotly-plot text:not(.hoverlayer text) { fill: #d5d9de !important; }
}
@media print {
  :root { color-scheme: light; } body { margin: 0; max-width: none; font-size: 11px; }
  h2 { break-after: avoid; } tr, .js-plotly-plot { break-inside: avoid; }
  .modebar { display: none !important; } .wide { overflow: visible; }
  table { font-size: 8.5px; } th, td { padding: .15rem .3rem; } td.s { min-width: 0; }
}
"""


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

    Parameters
    ----------
    about : Suspicion
        Of the table, or of the repaired table.
    repairs, decisions : mapping of (row number, column) to Repair and to str, optional
    comparison : Comparison, optional
        Accuracy before and after the repairs.
    original : Table, optional
        The table before the repairs, if `about` is of the repaired one.
    date : date, optional
        Today if not given; else the same input gives the same bytes.

    Examples
    --------
    >>> import cellval
    >>> from cellval.detect.suspicion import make_suspicion
    >>> from cellval.detect.surprise import surprise
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> about = make_suspicion(table, None, surprise(table))
    >>> report_html(about)[:15]
    b'<!doctype html>'
    """
    repairs, decisions = repairs or {}, decisions or {}
    title = title or f"Suspicious cells of {suspicion.table.name}"
    parts = [
        f"<h1>{_plain(title)}</h1>",
        _about(suspicion, original, date or Date.today()),
        _found(suspicion),
        _pictures(suspicion),
        _suspects(suspicion, repairs, decisions),
        _changes(original or suspicion.table, repairs, decisions),
        _accuracy(comparison),
        _how_to_read(suspicion),
    ]
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_plain(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )
    return page.encode("utf-8", "replace")


# --- pieces ---------------------------------------------------------------------------


def _plain(text: object, length: int = LONGEST) -> str:
    return escape(brief(text, length))


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _section(title: str, *parts: str) -> str:
    return "\n".join(
        [f"<section>\n<h2>{title}</h2>", *filter(None, parts), "</section>"]
    )


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def _bullets(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>\n" for line in lines)
    return f"<ul>\n{items}</ul>" if items else ""


def _table(
    names: Sequence[str], kinds: str, lines: Iterable[Sequence[str]], n_strong: int = -1
) -> str:
    """Lines of texts; kinds has a letter per column: number, text as it is, sentence.

    Lines from n_strong on are faint.
    """
    head = "".join(
        f'<th class="{kind}">{escape(name)}</th>'
        for kind, name in zip(kinds, names, strict=True)
    )
    rows = []
    for at, line in enumerate(lines):
        cells = "".join(
            f'<td class="{kind}">{escape(text)}</td>'
            for kind, text in zip(kinds, line, strict=True)
        )
        faint = 0 <= n_strong <= at
        rows.append(f'<tr class="more">{cells}</tr>' if faint else f"<tr>{cells}</tr>")
    body = "\n".join(rows)
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n'
        "</tbody>\n</table></div>"
    )


def _cut(text: object) -> str:
    """With its blanks and line breaks, but not a novel."""
    shown = str(text)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def _share(x: float) -> str:
    """A probability with two digits that count, without an exponent."""
    if not np.isfinite(x):
        return "–"
    if 0 < x < 1e-6:
        return "< 0.000001"
    decimals = 1 - int(np.floor(np.log10(x))) if x > 0 else 0
    return f"{x:.{max(decimals, 0) if x < 1 else 0}f}"


# --- sections -------------------------------------------------------------------------


def _about(suspicion: Suspicion, original: Table | None, date: Date) -> str:
    table, values = suspicion.table, suspicion.values
    counts = np.bincount(table.y, minlength=len(table.classes))
    classes = [
        f"{brief(text, 30)} ({_counted(n, 'row')})"
        for text, n in zip(table.classes, counts.tolist(), strict=True)
    ]
    lines = [
        ("File", brief(table.name, LONGEST)),
        (
            "Size",
            f"{_counted(table.n_rows, 'row')}, "
            f"{_counted(table.cells.shape[1], 'column')} of which "
            f"{len(table.features):,} were looked at as features",
        ),
        ("Label", f"{brief(table.label)}: {joined(classes, 12)}"),
        ("Values", _how_made(values)),
        ("Date", date.isoformat()),
    ]
    terms = "\n".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in lines)
    now = ""
    if original is not None and original is not table:
        now = (
            "Values, surprise and suspicion are of the table after the repairs listed "
            "below."
        )
    return _section(
        "What was looked at",
        f"<dl>\n{terms}\n</dl>",
        _paragraph(now) if now else "",
        _bullets(brief(note, LONGEST) for note in table.notes),
    )


def _how_made(values: CellValues | None) -> str:
    if values is None:
        return "not computed: surprise alone decides"
    settings = values.settings
    parts = [
        method_words(settings),
        "" if settings.model == "knn" else model_words(settings),
        f"{settings.n_neighbors} neighbours" if settings.n_neighbors else "",
        design_words(settings),
        approximation_words(settings),
        values.tested,
        f"scored by {settings.scoring}" if settings.test in SCORED else "",
    ]
    return "; ".join(filter(None, parts))


def _found(suspicion: Suspicion) -> str:
    size = suspicion.scores.size
    counts = np.bincount(suspicion.corner.ravel(), minlength=len(CORNERS)).tolist()
    if suspicion.values is None:
        odd = counts[0] + counts[1]
        corners = _paragraph(
            f"{_counted(odd, 'cell')} surprising ({percent(odd / size)}). Whether they "
            "hurt was not computed."
        )
    else:
        lines = [
            (f"{words[0].upper()}{words[1:]}", f"{count:,}", percent(count / size))
            for words, count in zip(CORNERS.values(), counts, strict=True)
        ]
        names = ("Does it hurt, and is it surprising?", "Cells", "Share")
        corners = _table(names, "snn", lines)
    codes = [
        f"{code.text} in '{brief(code.column)}' ({_counted(code.n_cells, 'cell')}) "
        'lies apart from all other numbers of the column: it may stand for "missing".'
        for code in suspicion.surprise.placeholders
    ]
    early = ""
    if not suspicion.surprise.is_final:
        early = "Surprise is a first estimate: it was stopped before the end."
    return _section(
        "What was found",
        _paragraph(flagged_sentence(suspicion)),
        _paragraph(early) if early else "",
        corners,
        _bullets(codes),
    )


def _pictures(suspicion: Suspicion) -> str:
    values, table = suspicion.values, suspicion.table
    if values is None:
        return ""
    n, m = suspicion.scores.shape
    shown = views.value_view(values)
    flagged = suspicion.order[: suspicion.n_flagged]
    outlined = {(int(at) // m, int(at) % m) for at in flagged}
    rows, columns = np.arange(n), np.arange(m)
    which, pooled = "Every cell", ""
    if m > MOST_COLUMNS:
        columns = np.sort(_worst(suspicion.order % m, MOST_COLUMNS))
        which = f"The {MOST_COLUMNS} most suspicious columns of {m:,}"
    if n > WHOLE_ROWS:
        rows = _worst(suspicion.order // m, MOST_ROWS)
        which = (
            f"The {MOST_ROWS} most suspicious rows of {n:,}, worst first,"
            + f" and the {MOST_COLUMNS} most suspicious columns of {m:,},"
            * (m > MOST_COLUMNS)
        )
        pooled = _overview(shown, table)
    figure = heatmap.heatmap(shown, rows, columns, outlined=outlined)
    # A page may be longer than a screen: rows of at least 6 pixels show their outlines.
    taller = max(0, 6 * len(rows) - PLOT_HEIGHT)
    figure.update_layout(height=figure.layout.height + taller)
    figure.data[4].line = {"color": SELECTED, "width": 2}  # seen in light and dark
    colours = "orange lowers the accuracy of the model, blue raises it"
    if not shown.values.settings.additive:
        colours = "orange is lower than the mean, blue higher"
    caption = (
        f"{which} as a colour: {colours}. Cells with a frame are flagged. Bars on top "
        "are the columns' values, the strip on the right the rows'. The names on the "
        "left are ids."
    )
    return _section(
        "Heatmap", _paragraph(caption), _drawn(figure, "heatmap", first=True), pooled
    )


def _worst(places: np.ndarray, k: int) -> np.ndarray:
    """The k different places that come first."""
    found, first = np.unique(places, return_index=True)
    return np.asarray(found[np.argsort(first)][:k])


def _overview(shown: views.ValueView, table: Table) -> str:
    values = shown.values
    order = np.arange(table.n_rows)
    pooled = bands(values.values, order)
    figure = overview.overview(shown, order, pooled, (0, 0), height=560)
    figure.data = figure.data[:2]  # there is no window to mark
    n_bands, n_groups = pooled.lowest.shape
    shown_bands = np.unique(np.linspace(0, n_bands - 1, 9).astype(int))
    every = -(-n_groups // 30)
    names = [brief(values.column_names[j], 18) for j in pooled.column_edges[:-1]]
    figure.update_layout(
        xaxis={
            "visible": True,
            "automargin": True,
            "tickangle": -90,
            "showgrid": False,
            "zeroline": False,
            "tickvals": list(range(0, n_groups, every)),
            "ticktext": [escape(name, quote=False) for name in names[::every]],
        },
        yaxis={
            "visible": True,
            "showgrid": False,
            "zeroline": False,
            "automargin": True,
            "tickvals": shown_bands.tolist(),
            "ticktext": [
                f"row {table.row_numbers[i]:,}" for i in pooled.row_edges[shown_bands]
            ],
        },
    )
    grouped = " and groups of neighbouring columns" * (n_groups < len(names))
    caption = (
        f"All {table.n_rows:,} rows in the order of the file, in {n_bands:,} bands"
        f"{grouped}. Each shows its lowest cell: the darker, the lower."
    )
    return _paragraph(caption) + "\n" + _drawn(figure, "overview")


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
) -> str:
    k, n = n_listed(suspicion, MOST_LISTED), suspicion.n_flagged
    frame = suspects_list(suspicion, k, repairs=repairs, decisions=decisions)
    unit = (
        views.value_view(suspicion.values).unit
        if suspicion.values is not None
        else None
    )
    with_id, decided = suspicion.table.id_column is not None, bool(repairs or decisions)
    # Heading, kind for `_table`, whether it is shown, and the text of a line.
    columns: list[tuple[str, str, bool, Callable[[Any], str]]] = [
        ("Row", "n", True, lambda line: f"{line.row:,}"),
        ("Id", "t", with_id, lambda line: brief(line.id, 30)),
        ("Column", "t", True, lambda line: brief(line.column, 30)),
        ("Content", "t", True, lambda line: content(line.content, 60)),
        ("Value ± error", "n", unit is not None, lambda line: _value(line, unit)),
        ("Surprise", "n", True, lambda line: _share(line.surprise)),
        ("Suspicion", "n", True, lambda line: _share(line.suspicion)),
        ("Why", "s", True, lambda line: _cut(line.reason)),
        ("Suggestion", "t", True, lambda line: brief(line.suggestion, 60)),
        ("Decision", "s", decided, _decided),
    ]
    names, kinds, _, texts = zip(*(c for c in columns if c[2]), strict=True)
    lines = [[text(line) for text in texts] for line in frame.itertuples()]
    more = []
    if n > k:
        more.append(f"The first {k:,} of {n:,} flagged cells.")
    elif n < k:
        more.append(
            f"{f'The first {n:,}' if n else 'None'} of these {k:,} "
            f"{'are' if n > 1 else 'is'} flagged; the grey ones come next in the "
            "ranking."
        )
    if unit:
        more.append(f"Values are in {unit.name}: {unit.long}.")
    return _section(
        "Most suspicious cells",
        _paragraph(" ".join(more)) if more else "",
        _table(names, "".join(kinds), lines, n),
    )


def _value(line: Any, unit: Unit | None) -> str:
    return unit.with_error(line.value, line.stderr) if unit else ""


def _decided(line: Any) -> str:
    """What a person decided on a cell, in words."""
    done = {
        "replace": f"replaced by {brief(line.after, 60)}",
        "blank": "blanked",
        WORDS["drop"]: "row dropped",
    }
    return ", ".join(filter(None, (line.decision, done.get(line.repair, ""))))


def _changes(
    table: Table, repairs: Repairs, decisions: Mapping[tuple[int, str], str]
) -> str:
    if not repairs and not decisions:
        return ""
    said = list(decisions.values())
    words = [f"{said.count(word):,} {word}" for word in DECISIONS if word in said]
    parts = [
        _paragraph(
            f"Decided on {_counted(len(said), 'cell')}: {', '.join(words)}."
            if said
            else "No cell was marked as error, fine or unsure."
        )
    ]
    if not repairs:
        return _section("Decisions", *parts, _paragraph("Nothing was changed."))
    frame = safe_frame(changes_frame(table, repairs))
    n = len(frame)
    parts.append(
        _paragraph(
            f"{_counted(n, 'change')}, in the order of deciding"
            + (f"; the first {MOST_CHANGES:,} are listed." if n > MOST_CHANGES else ".")
        )
    )
    lines = [
        [
            f"{line.row:,}",
            *(_cut(text) for text in (line.id, line.column, line.before)),
            _cut(line.after) or "(blank)",
            _cut(line.reason),
        ]
        for line in frame.head(MOST_CHANGES).itertuples()
    ]
    names = ("Row", "Id", "Column", "Before", "After", "Why")
    return _section("Decisions and changes", *parts, _table(names, "ntttts", lines))


def _accuracy(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    frame = comparison.frame()
    lines = [
        [
            str(line.Index),
            _percent_with(line.before, line.before_spread),
            _percent_with(line.after, line.after_spread),
            str(line.verdict),
        ]
        for line in frame.itertuples()
    ]
    about = (
        f"Models were trained with the repaired rows as they were and as they are now "
        f"({_counted(comparison.n_touched, 'row')}, of which {comparison.n_dropped:,} "
        f"dropped), and predicted the {_counted(comparison.n_tested, 'row')} that no "
        "repair touched, in repeated stratified cross-validation. ±: standard "
        "deviation of the repeats."
    )
    early = ""
    if comparison.measured < 1:
        early = f"Stopped after {comparison.measured:.0%} of the measurement."
    return _section(
        "Accuracy before and after",
        _paragraph(" ".join(filter(None, (about, early, comparison.note)))),
        _table(("Model", "Before", "After", "Difference"), "tnns", lines),
        _paragraph(comparison.reference, "faint"),
    )


def _percent_with(share: float, spread: float) -> str:
    if not np.isfinite(share):
        return "–"
    return f"{100 * share:.1f}" + (
        f" ± {100 * spread:.1f} %" if np.isfinite(spread) else " %"
    )


def _value_help(values: CellValues | None) -> str:
    if values is None or values.settings.additive:
        return VALUE_HELP
    return METHODS[values.settings.method].means


def _how_to_read(suspicion: Suspicion) -> str:
    lines = [
        "Lower is worse for every number here: value, surprise and suspicion.",
        f"Value. {_value_help(suspicion.values)}",
        f"±. {STDERR_HELP}",
        "Surprise, 0 to 1: about the share of ordinary cells that look at least as odd "
        "within their class and beside the rows most like theirs. Below "
        f"{SURPRISING:g} a cell counts as surprising; 0 is a cell that does not fit "
        "its column at all.",
        "Suspicion, 0 to 1: surprise (which counts four times) and the value's place "
        "among the cells of the same class, taken together.",
        f"Hurts: the value is more than {SURE:g} standard errors below 0.",
        "Flagged: as many of the most suspicious cells as can be flagged while about "
        "one in ten of them is expected to be a false alarm (rule of Benjamini and "
        "Hochberg). The promise rests on how odd ordinary cells of each column are, "
        "which is estimated from the table itself.",
        "Suggestion: what the rows most like this one have, or what a slip of the "
        "fingers would explain. Nobody checked it against the source.",
        "Limits: an odd cell need not be wrong, a wrong cell need not be odd, and a "
        "value is about one model and this label, not about others. "
        "Errors that look ordinary are not found.",
    ]
    if suspicion.values is None:
        lines = [line for line in lines if not line.startswith(("Value", "±", "Hurts"))]
    return _section("How to read this", _bullets(lines))
