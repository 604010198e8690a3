"""The inspection list: filters, how it looks, decisions on many cells at once."""

import hashlib
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from cellval import glossary as words
from cellval.detect.placeholders import missing_codes
from cellval.detect.suspicion import FINDINGS
from cellval.repairs.decisions import DECISIONS
from cellval.repairs.work import Cell
from cellval.table.table import Table
from cellval.text import counted, every
from cellval.ui import many, tables
from cellval.ui.cell_detail import COLOURS, Walk
from cellval.ui.inspect.filters import classes_filter, columns_filter
from cellval.ui.parts import say, then_cell
from cellval.ui.session import FileWork, Session, Shown
from cellval.ui.widgets import forget, lasting, one_of
from cellval.values.settings import Settings
from cellval.values.words import Unit, spoken
from cellval.views.inspection_list import MOST, USUAL, Inspection, Wanted, usual_number
from cellval.views.rankings import RANKINGS, WORST
from cellval.views.value_view import value_view

UNDECIDED = "not decided"
HOW_MANY = "list how many"
HOW_TO_CHOOSE = (
    "Click a line to open its cell. To decide on many at once, tick lines (the box in "
    "the heading ticks all), or choose columns, classes or decisions above: then it is "
    "all lines that fit."
)
# Columns that the table's own menu of columns shows: lines are in the order of ranks,
# and odds say the rest in words.
ON_REQUEST = ("rank", "suspicion", "surprise")
# Pixels that the columns up to the reason have on a screen of 1280, where reasons wrap.
ROOM, BOXES, LEAST = 608, 33, 140
MOST_LINES = 3  # of a reason, if other columns can stand behind it: the lowest wrapped
FEW = 0.25  # of the lines have a suggestion: it can


def choose(shown: Shown, *, is_list: bool) -> tuple[Wanted, list[str]]:
    """The widgets above the list, or those that fit the map: cells and decisions."""
    session, table, values, _ = shown
    suspicion = shown.after_answers
    by: str = "suspicion"
    decisions: list[str] = []
    places = list(st.columns([3] * 5, vertical_alignment="bottom"))
    settings = values.settings
    if is_list and settings.is_valued:
        names = {name: spoken(title, settings) for name, title in RANKINGS.items()}
        by = places.pop(0).selectbox(
            "Ranked by",
            **one_of(session, "list ranked by", names),
            on_change=forget,
            args=(session, HOW_MANY),
            help=spoken(
                "Suspicion: surprising cells first, more so if they hurt. Value: what "
                f"hurts most. {words.WITHIN_HELP}",
                settings,
            ),
        )
    number = places.pop(0) if is_list else None
    columns = columns_filter(
        places.pop(0),
        session,
        "list",
        values.column_names,
        help="Cells of these columns only.",
    )
    classes: list[str] = []
    if table.label:
        classes = classes_filter(
            places.pop(0),
            session,
            "list",
            table,
            settings,
            "Cells of rows of these classes only.",
        )
    if is_list:
        decisions = places.pop(0).multiselect(
            "Decisions",
            (UNDECIDED, *DECISIONS),
            format_func=lambda name: words.DECIDED.get(name, name),
            **lasting(session, "list decisions", []),
            placeholder="all decisions",
            help="Of the cells in the list, those with these decisions.",
        )
    codes = bool(suspicion and missing_codes(table))
    left_out = codes and st.toggle(
        'Leave out codes for "missing"',
        **lasting(session, "list without codes", False),
        help="One code can fill the list with hundreds of lines. Decide on all its "
        "cells at once at the top of the page. Suspects among them still count on top "
        "of the page and in the sidebar.",
    )
    wanted = Wanted(by, None, tuple(columns), tuple(classes), not left_out)
    if number is not None:
        usual = usual_number(table, values, suspicion, wanted)
        with number:
            wanted = wanted._replace(k=_how_many(shown, by, usual))
    return wanted, decisions


def _how_many(shown: Shown, by: str, usual: int) -> int | None:
    most = min(MOST, shown.values.values.size)
    k = st.number_input(
        "How many cells",
        min_value=1,
        max_value=most,
        step=10,
        **lasting(shown.session, HOW_MANY, None, range(1, most + 1)),
        placeholder=f"{usual:,} by default",
        help=f"The {WORST[by]} cells to inspect, up to {most:,}. Empty: {USUAL}, or as "
        "many as there are suspects if these are more.",
    )
    return None if k is None else int(k)


def show(shown: Shown, found: Inspection, wanted: Wanted, decisions: list[str]) -> None:
    """The list, below buttons that decide on many of its cells."""
    frame, file = found.frame, shown.session.file
    if decisions:
        names = frame["decision"].replace("", UNDECIDED)
        frame = frame[names.isin(decisions)].reset_index(drop=True)
    if len(frame) == 0:
        st.info("No cell fits these filters.")
    else:
        bar = st.container(gap="xsmall")  # seen where lines are ticked, not below all
        chosen = _draw_parts(shown, found, frame)
        filtered = bool(decisions or wanted.columns or wanted.classes)
        with bar:
            _act(shown, frame, chosen, filtered=filtered)
    _flag_buttons(file, found)


def _draw_parts(shown: Shown, found: Inspection, frame: pd.DataFrame) -> list[int]:
    """Suspects, and below a line what comes next in the ranking: the chosen lines."""
    if found.n_rule is None:  # by value: there is no rule that could end
        return _draw(shown, frame)
    n = int(frame["suspect"].sum())
    chosen = []
    if n:
        some = f"{n:,} of " if n < (found.n_all or 0) else ""  # filters leave some out
        suspects = counted(found.n_all or n, "suspect")
        st.markdown(f"##### {some}{suspects}", help=words.SUSPECT_HELP)
        chosen = _draw(shown, frame.head(n))
    if n < len(frame):
        title = "The rule ends here" if found.n_all else "No suspects"
        st.markdown(f"##### {title}", help=words.SUSPECT_HELP)
        st.caption(_after_the_rule(found, len(frame) - n))
        rest = frame.iloc[n:].reset_index(drop=True)
        chosen += [n + line for line in _draw(shown, rest)]
    return chosen


def _after_the_rule(found: Inspection, n: int) -> str:
    """Why there are lines of cells that are no suspects."""
    why = f"a list has {USUAL} lines unless you say how many"
    if found.k is not None:
        why = f"you asked for {counted(found.k, 'cell')}"
    below = "The cell below is" if n == 1 else f"The {n:,} cells below are"
    return f"{below} next in the ranking, and listed only because {why}."


def _draw(shown: Shown, frame: pd.DataFrame) -> list[int]:
    """A click anywhere opens the cell, boxes choose many: the chosen lines."""
    session, table, values, _ = shown
    unit = value_view(values).unit
    columns = _columns(table, unit, values.settings)
    if "odds" in frame:  # two lines in a narrow column
        frame = frame.assign(odds=frame["odds"].str.replace("less than", "<"))
    hidden = {"id"} if table.id_column is None else set()
    hidden |= set() if table.label else {"class"}
    hidden |= set() if values.settings.is_valued else {"value", "stderr"}
    if not frame["repair"].any():
        hidden.add("repair")
    drawn = frame[[name for name in columns if name in frame and name not in hidden]]
    if values.settings.is_valued:
        drawn = drawn.assign(**(frame[["value", "stderr"]] * unit.factor))
    drawn = drawn.assign(decision=drawn["decision"].replace(words.DECIDED))
    columns = {name: columns[name] for name in drawn}
    seen = _seen(frame, columns)
    if "reason" in seen:
        columns["reason"]["width"] = max(LEAST, _room(seen, columns))
    line = _line_height(frame, columns)
    if "finding" in drawn:  # a badge is a list of one
        drawn = drawn.assign(finding=[[name] for name in drawn["finding"]])
    cells = hashlib.sha1(frame[["position", "column"]].to_csv().encode())
    key = session.widget_key("list", cells.hexdigest())
    styled, columns = tables.with_minus(drawn, columns)
    event = st.dataframe(
        styled,
        key=key,
        hide_index=True,
        height=min(640, 3 + tables.LINE + line * len(drawn)),
        row_height=line,
        on_select=lambda: _open(session, frame, key),
        selection_mode=["multi-row", "single-cell"],
        column_config=columns,
        column_order=seen,
        alt="The cells to inspect, worst first",
    )
    return [line for line in event["selection"]["rows"] if line < len(frame)]


def _seen(frame: pd.DataFrame, columns: dict[str, Any]) -> list[str]:
    """Columns in their order, without those that say nothing here: all blank, or the
    same of all suspects. Where little room is left for the reason, some follow it.
    """
    idle = {"finding"} if frame["suspect"].all() else set()
    for name in {"decision", "suggestion", "repair"} & set(frame):
        idle |= set() if frame[name].any() else {name}
    seen = [name for name in columns if name not in {*ON_REQUEST, *idle}]
    if "reason" not in seen:
        return seen
    few = bool((frame["suggestion"] != "").mean() < FEW)
    for name in (*["suggestion"] * few, "finding", "odds", "id"):
        room = _room(seen, columns)
        n = tables.n_lines(frame["reason"], room)
        if name in seen and (room < LEAST or n > MOST_LINES):
            seen.remove(name)
            seen.insert(seen.index("reason") + 1, name)
    return seen


def _room(seen: list[str], columns: dict[str, Any]) -> int:
    """Pixels that other columns leave to the reason."""
    before = seen[: seen.index("reason")]
    return ROOM - BOXES - sum(columns[name]["width"] for name in before)


def _line_height(frame: pd.DataFrame, columns: dict[str, Any]) -> int:
    wrapped = {"column", "content", "odds", "reason"} & set(frame)
    return max(
        tables.line_height(frame[name], columns[name]["width"])
        for name in wrapped & set(columns)
    )


def _columns(table: Table, unit: Unit, settings: Settings) -> dict[str, Any]:
    """What to do comes before numbers: narrow screens show the first columns only."""
    number, text, digits = tables.number, tables.text, unit.decimals
    value = f"value ({unit.name})"
    return {
        "rank": number("rank", "localized", width=50, help=words.RANK_HELP),
        "row_number": tables.row_number(),
        "id": text(tables.heading(table.id_column or "id"), width=70),
        "column": text(width=80),
        "content": text(width=72, help="The cell as it is in the file."),
        "suggestion": text(
            width=78,
            help="What may have been meant, for surprising cells; more beside.",
        ),
        "finding": st.column_config.MultiselectColumn(
            width=150,
            options=list(FINDINGS.values()),
            color=list(COLOURS.values()),
            help="A suspect is a likely error. Of all others: is it odd, and does it "
            "clearly hurt?",
        ),
        "decision": text(width=62, help="Set it beside or above."),
        "repair": text(width=70, help="What you decided to put into the cell."),
        "odds": text(width=72, help=spoken(words.ODDS_HELP, settings)),
        "reason": text(
            help="What is odd about the cell, and whether it clearly hurts."
        ),
        "value": number(
            value, digits, width=80, help=spoken(words.VALUE_HELP, settings)
        ),
        "stderr": number("± std. error", digits, width=90, help=words.STDERR_HELP),
        "class": text(
            tables.heading(table.label or "label"),
            width="small",
            help="The label of the row.",
        ),
        "usual": text(
            spoken("usual in class", settings),
            help=spoken(
                "Where nine in ten cells of this column lie in rows of this class, or "
                "the most common contents.",
                settings,
            ),
        ),
        "suspicion": number("suspicion", 6, help=words.SUSPICION_HELP),
        "surprise": number("surprise", 6, help=words.SURPRISE_HELP),
    }


def _open(session: Session, frame: pd.DataFrame, key: str) -> None:
    selection = st.session_state[key]["selection"]
    session.touch()
    ticked, rows = session.selection.ticked, tuple(selection["rows"])
    is_tick, ticked[key] = ticked.get(key, ()) != rows, rows
    lines = [line for line, _ in selection["cells"]] or selection["rows"][-1:]
    if not lines or lines[-1] >= len(frame):
        return
    line = frame.iloc[lines[-1]]
    place = int(line["position"]), str(line["column"])
    if is_tick and selection["rows"]:  # the buttons above change, too
        session.selection.choose_cell(*place)
    else:
        then_cell(session, *place)


def walk(session: Session, frame: pd.DataFrame) -> Walk:
    """Through the lines of the list."""
    cells = list(zip(frame["position"].tolist(), frame["column"].tolist(), strict=True))
    return Walk(cells, "line", partial(then_cell, session), " in the list")


def _act(
    shown: Shown, frame: pd.DataFrame, chosen: list[int], *, filtered: bool
) -> None:
    """On the ticked lines, or on all that a person's filters leave.

    Never on all of a list that nobody chose: one click would change 50 cells.
    """
    session, original = shown.session, shown.session.original
    assert original is not None, "what is shown is of a table"
    which, lines = "No line is ticked", frame.head(0)
    if chosen:
        which, lines = f"{counted(len(chosen), 'line')} ticked", frame.iloc[chosen]
    elif filtered:
        which, lines = f"{every(len(frame), 'line')} that fit the filters", frame
        if len(frame) == 1:
            which = "The line that fits the filters"
    cells = _cells(lines)
    many.act(session, original, shown.suspicion, cells, which, "list", HOW_TO_CHOOSE)
    many.undo_last(session.file, "list undo")


def _cells(frame: pd.DataFrame) -> list[Cell]:
    rows, columns = frame["row_number"].tolist(), frame["column"].tolist()
    return list(zip(rows, columns, strict=True))


def _flag_buttons(file: FileWork, found: Inspection) -> None:
    """Mark the first lines, as many as a person says; by default the rule's number."""
    n, worst = len(found.frame), WORST[found.by]
    usual = min(10, n) if found.n_rule is None else found.n_rule
    rule = " The number given is the rule's, which aims at one false alarm in ten. 0: "
    rule += "nothing in the list stands out."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = st.number_input(
            f"Mark the {worst} as wrong",
            min_value=0,
            max_value=n,
            value=usual,
            width=260,
            help="How many cells, from the top of the list with its column and class "
            f"filters.{'' if found.n_rule is None else rule}",
        )
        st.button(
            f"Mark the {k:,} {worst} as wrong"
            if k != 1
            else f"Mark the {worst} one as wrong",
            icon=":material/flag:",
            key="flag lowest",
            disabled=k == 0,
            on_click=partial(_flag, file, found.frame.iloc[: int(k)]),
            help="Cells you already decided on stay as they are.",
        )


def _flag(file: FileWork, lines: pd.DataFrame) -> None:
    new = lines[lines["decision"] == ""]
    many.mark(file, _cells(new), "error")
    say(
        f"{counted(len(new), 'cell')} marked as wrong; {len(lines) - len(new):,} were "
        "decided before."
    )


def progress(frame: pd.DataFrame) -> None:
    n, done = len(frame), int((frame["decision"] != "").sum())
    counts = frame["decision"].value_counts()
    parts = [f"{counts[d]:,} {words.DECIDED[d]}" for d in DECISIONS if d in counts]
    more = f" ({', '.join(parts)})" if parts else ""
    listed = f"{done:,} of the {counted(n, 'cell')} in the list decided on{more}"
    st.progress(done / max(n, 1), text=listed)


def say_why_no_surprise(session: Session) -> None:
    """What is missing on the page while surprise is not known."""
    st.info(
        "How surprising cells are is not known yet. The list goes by value until it "
        "is; the map comes then."
        if session.run is not None and session.run.active
        else "How surprising cells are is not known: the run ended before, or "
        "comparing them failed (the server's log says why). The list goes by value "
        "alone; there is no map."
    )
