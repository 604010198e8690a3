"""Sources: how rows and columns are grouped, for which model, by what method."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from cellval.errors import InputError
from cellval.games import groups as grouping
from cellval.games.groups import MOST_PLAYERS, ROUNDS, Groups
from cellval.methods import MODELS_OF
from cellval.table.table import Table
from cellval.text import content, counted, listed
from cellval.ui import tables
from cellval.ui.data.options import choose_held_out, choose_neighbors
from cellval.ui.session import Session
from cellval.ui.text import plain, said
from cellval.ui.widgets import lasting, one_of, segments
from cellval.values.options import RunOptions

MOST_GROUPS = 40  # of rows, and of columns
RANGES, OWN = "ranges of rows", "own groups"
COLUMNS = {  # how they are grouped, in words and in the library
    "each alone": ("every column is a group of its own", grouping.columns_alone),
    "by kind": ("numbers, categories, dates", grouping.columns_by_kind),
    "by name": ("columns whose names begin alike", grouping.columns_by_name),
    "all together": ("only the rows are told apart", grouping.columns_together),
}


@dataclass(frozen=True)
class BlocksChoice:
    """What a person chose; a run belongs to one of them."""

    rows_by: str
    n: int
    by_ranges: bool
    columns_by: str
    own: tuple[tuple[str, str], ...]
    model: str
    n_neighbors: int
    test: str
    share: float
    test_file: str
    method: str = "auto"
    rounds: int = ROUNDS


# --- choosing -------------------------------------------------------------------------

WAYS = {
    "exact": "all combinations (exact)",
    "Monte Carlo": "random orders (Monte Carlo)",
}


def choose(session: Session, table: Table) -> BlocksChoice:
    """Widgets for everything but the method."""
    a, b, c = st.columns(3, gap="medium")
    with a.container(border=True, height="stretch"):
        rows_by, n, by_ranges = _choose_rows(session, table)
    with b.container(border=True, height="stretch"):
        columns_by, own = _choose_columns(session, table)
    with c.container(border=True, height="stretch"):
        model = _choose_model(session, table)
    return BlocksChoice(rows_by, n, by_ranges, columns_by, own, **model)


def _choose_rows(session: Session, table: Table) -> tuple[str, int, bool]:
    options = {RANGES: "Ranges of rows, as in the file"}
    for name in map(str, table.cells):
        options[name] = content(name, 40) + " (the label)" * (name == table.label)
    rows_by = st.selectbox(
        "Rows: one source is",
        **one_of(session, "sources rows", options, grouping.proposed_rows(table)),
        help="Rows that come from the same place, person or time: rows with the same "
        "text in a column (also one that is no feature, or the label), or rows that "
        "follow each other in the file.",
    )
    by_ranges = rows_by == RANGES
    n_numbers = 0 if by_ranges else grouping.n_numbers(table, rows_by)
    if n_numbers > 1:
        usual = "ranges" if n_numbers > grouping.FEW_TEXTS else "each text"
        ways = ("ranges", "each text")
        how = st.segmented_control(
            "Grouped by",
            **segments(session, f"sources how {rows_by}", ways, usual),
            help="Ranges of the column's numbers with about as many rows each, or "
            "rows with the same text.",
        )
        by_ranges = how == "ranges"
    n = st.number_input(
        "Ranges" if by_ranges else "Groups at most",
        *(2 if by_ranges else 1, MOST_GROUPS),
        **lasting(session, f"sources n {by_ranges}", 4 if by_ranges else 6),
        help="About as many rows in each."
        if by_ranges
        else "The most common texts are groups; all others form one more together, "
        "and so do rows where it is missing.",
    )
    return rows_by, int(n), by_ranges


def _choose_columns(
    session: Session, table: Table
) -> tuple[str, tuple[tuple[str, str], ...]]:
    m, kinds = len(table.features), len(grouping.columns_by_kind(table))
    proposed = "each alone" if m <= 8 else "by kind" if kinds > 1 else "by name"
    if proposed == "by name" and len(grouping.columns_by_name(table)) > 9:
        proposed = "all together"
    columns_by = st.radio(
        "Columns: one group is",
        **one_of(session, "sources columns", (*COLUMNS, OWN), proposed),
        captions=[*(words for words, _ in COLUMNS.values()), "as you say"],
    )
    if columns_by != OWN:
        return columns_by, ()
    return columns_by, tuple(own_groups(session, table).items())


def _choose_model(session: Session, table: Table) -> dict[str, Any]:
    model = st.selectbox(
        "Model that the sources are to serve",
        **one_of(session, "sources model", MODELS_OF[table.label_kind]),
        help=said(
            table,
            "Values say what a source adds to the accuracy of this model. KNN is the "
            "fastest, and the one that cells are valued by.",
        ),
    )
    neighbors, second, tests = RunOptions.n_neighbors, session.test_source, {}
    if model == "knn":
        neighbors = choose_neighbors(session, "sources k", table)
        tests["leave-one-out"] = "every row in turn, with all others as neighbours"
    tests["hold-out"] = "a share of the rows; they belong to no source then"
    if second is not None:
        tests["second CSV"] = plain(second.name)
    test = st.radio(
        "Tested on",
        **one_of(session, f"sources test {model == 'knn'}", list(tests)),
        captions=list(tests.values()),
        help="A second CSV is chosen on the Data page, as test points.",
    )
    held_out = test == "hold-out"
    return {
        "model": model,
        "n_neighbors": neighbors,
        "test": test,
        "share": choose_held_out(session, "sources share") if held_out else 0.0,
        "test_file": second.sha256 if second and test == "second CSV" else "",
    }


# --- own groups of columns: an editor whose frame stays while it is open --------------


def own_groups(session: Session, table: Table) -> dict[str, str]:
    """Column -> name of its group, as a person said it; the kinds to begin with."""
    groups = session.file.column_groups
    if set(groups.texts) != set(table.feature_names):
        begun = grouping.columns_by_kind(table)
        if len(begun) == 1:
            begun = grouping.columns_by_name(table)
        groups.texts = {
            name: begun.names[g]
            for name, g in zip(table.feature_names, begun.of, strict=True)
        }
    return groups.texts


def edit_own_groups(session: Session, table: Table) -> None:
    """The editor; drawn below the choices, where there is room."""
    key = session.widget_key("own groups editor")
    groups, names = session.file.column_groups, list(table.feature_names)
    if key not in st.session_state or set(groups.begun) != set(names):
        groups.begun = dict(own_groups(session, table))
    frame = pd.DataFrame(
        {
            "column": names,
            "kind": [column.kind for column in table.features],
            "group": [groups.begun[name] for name in names],
        }
    )

    def take() -> None:
        edited = st.session_state[key]["edited_rows"]
        groups.texts = with_groups(table, groups.begun, edited)

    st.data_editor(
        frame,
        key=key,
        hide_index=True,
        disabled=["column", "kind"],
        height=min(38 + 35 * len(frame), 420),
        column_config={
            "column": tables.text(),
            "group": tables.text(
                help="Double-click and type: columns with the same name form a group. "
                "Empty: the column goes to the group (others).",
            ),
        },
        on_change=take,
        alt="Columns and the groups they belong to",
    )


def with_groups(
    table: Table, begun: Mapping[str, str], edited: Mapping[int, Mapping[str, Any]]
) -> dict[str, str]:
    """Groups that an editor began with, and lines that were edited in it."""
    new = dict(begun)
    for line, change in edited.items():
        new[table.feature_names[int(line)]] = str(change.get("group") or "").strip()
    return new


# --- what the choice means ------------------------------------------------------------


def groups_of(table: Table, choice: BlocksChoice) -> tuple[Groups, Groups]:
    """Groups of all rows and columns, or InputError."""
    if choice.rows_by == RANGES:
        rows = grouping.rows_by_ranges(table, choice.n)
    elif choice.by_ranges:
        rows = grouping.rows_by_quantiles(table, choice.rows_by, choice.n)
    else:
        rows = grouping.rows_by_column(table, choice.rows_by, choice.n)
    if choice.columns_by == OWN:
        wanted: dict[str, list[str]] = {}
        for column, name in choice.own:
            if name:
                wanted.setdefault(name, []).append(column)
        columns = grouping.columns_by(table, wanted)
    else:
        columns = COLUMNS[choice.columns_by][1](table)
    for groups, what in ((rows, "rows"), (columns, "columns")):
        if len(groups) > MOST_GROUPS + 2:  # others, and missing ones
            raise InputError(
                f"{len(groups):,} groups of {what} are too many to compare: at most "
                f"{MOST_GROUPS} can be. Put some of the {what} into one group."
            )
    return rows, columns


def choose_method(session: Session, rows: Groups, columns: Groups) -> dict[str, Any]:
    """Exact where that is possible, or random orders of the groups."""
    players = len(rows) + len(columns)
    method = "mc"
    a, b = st.columns([3, 2], vertical_alignment="bottom")
    if players <= MOST_PLAYERS:
        said = a.segmented_control(
            "Values",
            **segments(session, "sources method", WAYS),
            help="Exact: all unions of groups are tried. Monte Carlo: random orders of "
            "the groups, for when that takes too long; values have standard errors.",
        )
        method = "auto" if said == "exact" else "mc"
    else:
        a.markdown(
            f"More than {MOST_PLAYERS} groups in all: values are estimated (Monte "
            "Carlo)."
        )
    rounds = ROUNDS
    if method == "mc":
        rounds = b.number_input(
            "Rounds",
            *(2, 100_000),
            step=50,
            **lasting(session, "sources rounds", ROUNDS),
            help="Random orders of the groups. Four times as many halve the standard "
            "errors.",
        )
    return {"method": method, "rounds": int(rounds)}


def say_groups(
    table: Table, choice: BlocksChoice, rows: Groups, columns: Groups
) -> None:
    """Who plays, and what is odd about it."""
    exact = grouping.is_exact(rows, columns, choice.method)
    n = grouping.n_evaluations(rows, columns, choice.method, choice.rounds)
    what = "exact" if exact else f"Monte Carlo, {choice.rounds:,} rounds"
    st.markdown(
        f"**{counted(len(rows), 'group')} of rows × "
        f"{counted(len(columns), 'group')} of columns** · {what} · "
        f"{counted(n, 'evaluation')} of the model",
        help="An evaluation trains the model on some groups of rows, seen through some "
        "groups of columns, and tests it.",
    )
    if choice.rows_by == table.label:
        st.info(
            "Sources are the classes of the label themselves. Each knows one class "
            "only, so that alone it can say nothing but that class: values show what "
            "a class's rows add to the others', not how good they are.",
            icon=":material/info:",
        )
    single = [name for name, k in zip(rows.names, rows.sizes, strict=True) if k == 1]
    if single:
        st.warning(
            f"{plain(listed(single, 5))}: a group with a single row. Its "
            "value rests on that row alone; put small groups together.",
            icon=":material/warning:",
        )
