"""One HTML file with all that was found: it opens without a server and a network."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date as Date
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io

from cellval import figures, views
from cellval.export import n_listed, safe_frame, suspects_list
from cellval.remeasure import Comparison
from cellval.repair import DECISIONS, WORDS, Repairs, changes_frame
from cellval.reading import joined
from cellval.suspicion import CORNERS, FALSE_ALARMS, SURPRISING, Suspicion
from cellval.table import Table
from cellval.values import CellValues
from cellval.wording import STDERR_HELP, SURE, VALUE_HELP, brief, content, percent

MOST_LISTED = 200  # suspects
MOST_CHANGES = 2_000
WHOLE_ROWS = 200  # larger tables are drawn as their most suspicious rows
MOST_ROWS, MOST_COLUMNS = 100, 60  # drawn of them
LONGEST = 300  # characters of a text

# Nothing is loaded from anywhere, whatever the file holds.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --faint: #5d6570;
  --line: #d5d9de; --tint: #f4f5f7; --bad: #a84300; }
body { margin: 2rem auto; max-width: 66rem; padding: 0 1.2rem; color: var(--ink);
  background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem;
  border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
h1, td, th, dd, li { overflow-wrap: anywhere; unicode-bidi: isolate; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; }
dt { color: var(--faint); } dd { margin: 0; }
.faint { color: var(--faint); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .55rem;
  border-bottom: 1px solid var(--line); }
th { background: var(--tint); font-weight: 600; overflow-wrap: normal; }
td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.t { white-space: pre-wrap; min-width: 4.5rem; } td.s { min-width: 12rem; }
tr.more td { color: var(--faint); } td.hurts { color: var(--bad); }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --paper: #14171b; --faint: #9aa3ad; --line: #343a42;
    --tint: #1e2329; --bad: #f2995c; }
  .js-plotly-plot text:not(.hoverlayer text) { fill: #d5d9de !important; }
  #heatmap .scatterlayer .js-line { stroke: #ffffff !important; }
}
@media print {
  :root { color-scheme: light; } body { margin: 0; max-width: none; font-size: 11px; }
  h2 { break-after: avoid; } tr, .js-plotly-plot { break-inside: avoid; }
  .modebar { display: none !important; } .wide { overflow: visible; }
}
"""


def report_html(
    about: Suspicion,
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
    >>> from cellval.suspicion import make_suspicion
    >>> from cellval.surprise import surprise
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> about = make_suspicion(table, None, surprise(table))
    >>> report_html(about)[:15]
    b'<!doctype html>'
    """
    repairs, decisions = repairs or {}, decisions or {}
    title = title or f"Suspicious cells of {about.table.name}"
    parts = [
        f"<h1>{_plain(title)}</h1>",
        _about(about, original, date or Date.today()),
        _found(about),
        _pictures(about),
        _suspects(about, repairs, decisions),
        _changes(original or about.table, repairs, decisions),
        _accuracy(comparison),
        _how_to_read(about),
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
    return "\n".join([f"<section>\n<h2>{title}</h2>", *filter(None, parts), "</section>"])


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
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
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


def _about(about: Suspicion, original: Table | None, date: Date) -> str:
    table, values = about.table, about.values
    counts = np.bincount(table.y, minlength=len(table.classes))
    classes = [
        f"{brief(text, 30)} ({n:,} row{'s' * (n != 1)})"
        for text, n in zip(table.classes, counts, strict=True)
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
        str(settings.get("method", "")),
        f"{settings['n_neighbors']} neighbours" if "n_neighbors" in settings else "",
        str(settings.get("design", "")),
        str(settings.get("approximation", "")),
        _counted(values.n_test, "test point"),
        f"scored by {settings['scoring']}" if "scoring" in settings else "",
    ]
    return "; ".join(filter(None, parts))


def _found(about: Suspicion) -> str:
    n, size = about.n_flagged, about.suspicion.size
    counts = np.bincount(about.corner.ravel(), minlength=len(CORNERS))
    corners = [
        (f"{words[0].upper()}{words[1:]}", f"{count:,}", percent(count / size))
        for words, count in zip(CORNERS.values(), counts.tolist(), strict=True)
    ]
    codes = [
        f"{code.text} in '{brief(code.column)}' ({_counted(code.n_cells, 'cell')}) lies "
        'apart from all other numbers of the column: it may stand for "missing".'
        for code in about.surprise.placeholders
    ]
    early = ""
    if about.surprise.done < 1:
        early = "Surprise is a first estimate: it was stopped before the end."
    return _section(
        "What was found",
        _paragraph(flagged_sentence(about)),
        _paragraph(early) if early else "",
        _table(("Two questions asked of every cell", "Cells", "Share"), "snn", corners)
        if about.values is not None
        else "",
        _bullets(codes),
    ) if n or size else ""


def flagged_sentence(about: Suspicion) -> str:
    """How many cells were flagged, and what the rule promises."""
    n, size = about.n_flagged, about.suspicion.size
    if n == 0:
        return (
            f"No cell of {size:,} is flagged: none is odd enough to keep false alarms "
            "at about one in ten."
        )
    if n == 1:
        return f"1 cell of {size:,} is flagged; the rule allows for few false alarms."
    return (
        f"{n:,} cells of {size:,} are flagged; about one in {1 / FALSE_ALARMS:.0f} of "
        "them is a false alarm."
    )
