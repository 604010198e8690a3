"""Validate: which errors to plant, the start, the run in the background, its end."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from cellval import valuation
from cellval.errors import InputError
from cellval.jobs.background import start_steps
from cellval.table.table import Table
from cellval.text import counted, percent
from cellval.ui import session as state
from cellval.ui.data.options import LONG_PASS, MANY_CELLS, NEAR, one_pass_seconds
from cellval.ui.text import about_time, plain
from cellval.ui.validate.results import show
from cellval.ui.widgets import kept, side_progress
from cellval.validation.planted_table import FEWEST, takes
from cellval.validation.planting import KINDS

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.validation.result import Validation

SHARES = (1, 2, 5, 10, 15)  # % of the cells
ENOUGH = 10  # errors that the proposed share should give
HELD_OUT = 0.3  # of the rows
SUBSETS = 8  # a column: those of `iter_validation`, for the time that it takes
DEFAULTS = {"n_neighbors": 10, "scoring": "accuracy", "baseline": "zero"}


@dataclass(frozen=True)
class Choice:
    """What a person chose; a run belongs to one of them."""

    kind: str
    share: float
    seed: int
    tree: bool
    options: tuple[tuple[str, Any], ...]

    def about_errors(self, table: Table) -> int:
        """About so many cells will get an error."""
        return round(self.share * n_cells(table, self.kind, self.tree))


def n_cells(table: Table, kind: str, tree: bool) -> int:
    """Cells that can have such an error, in the rows that are planted into."""
    columns = [column for column in table.features if takes(column, kind)]
    return round((1 - HELD_OUT * tree) * sum(int((~c.missing).sum()) for c in columns))


def possible_kinds(table: Table) -> list[str]:
    return [kind for kind in KINDS if any(takes(c, kind) for c in table.features)]


# --- choosing -------------------------------------------------------------------------


def choose(table: Table) -> Choice:
    """Widgets for the errors, or InputError where none can be planted."""
    kinds = possible_kinds(table)
    if not kinds:
        raise InputError(
            f"{table.name} has no column of numbers, dates or categories that is a "
            "feature, so that no error can be planted. Look at the columns on the Data "
            "page."
        )
    a, b = st.columns(2, gap="medium")
    with a.container(border=True, height="stretch"):
        kind = _choose_kind(kinds)
    with b.container(border=True, height="stretch"):
        tree = st.toggle(
            "Train a decision tree, too",
            key=kept("validate tree", True),
            persist_state="session",
            help=f"{percent(HELD_OUT)} of the rows stay clean and are held out; a "
            "decision tree that learned from the others is tested on them, while "
            "suspicious cells are refilled. Without it, errors go into all rows.",
        )
        share = st.segmented_control(
            "Share of the cells that get an error",
            SHARES,
            format_func=lambda share: f"{share} %",
            required=True,
            key=kept("validate share", proposed_share(table, kind, tree), SHARES),
            persist_state="session",
        )
        seed = st.number_input(
            "Seed",
            *(0, 2**31 - 1),
            key=kept("validate seed", 0),
            persist_state="session",
            help="Which cells get an error is drawn by lot; another seed draws "
            "others. The same seed gives the same result.",
        )
        options = options_of(table, tree)
        choice = Choice(kind, int(share or 2) / 100, int(seed), tree, options)
        _say_choice(table, choice)
    return choice


def _choose_kind(kinds: list[str]) -> str:
    kind = st.radio(
        "Kind of error",
        kinds,
        format_func=str.capitalize,
        captions=[KINDS[kind] for kind in kinds],
        key=kept("validate kind", kinds[0], kinds),
        persist_state="session",
        help="Every kind is found differently well. Choose the one that you fear.",
    )
    others = [kind.capitalize() for kind in KINDS if kind not in kinds]
    if others:
        st.caption(
            f"{' and '.join(others)}: not possible here, because no column of numbers "
            "is a feature."
        )
    return str(kind)


def proposed_share(table: Table, kind: str, tree: bool) -> int:
    """2 %, or the first larger share that gives a few errors."""
    n = n_cells(table, kind, tree)
    return next((s for s in SHARES[1:] if s * n / 100 >= ENOUGH), SHARES[-1])


def options_of(table: Table, tree: bool) -> tuple[tuple[str, Any], ...]:
    """How the cells are valued: as in the run at hand, if there is one."""
    run = state.before_run() or state.job()
    asked = dict(run.options) if run else {}
    if asked.get("method", "knn") != "knn":
        run, asked = None, {}
    options = {**DEFAULTS, **{k: asked[k] for k in DEFAULTS if k in asked}}
    if "column_weights" in asked:
        options["column_weights"] = asked["column_weights"]
    rows = round((1 - HELD_OUT * tree) * table.n_rows)
    options["n_neighbors"] = max(1, min(int(options["n_neighbors"]), rows - 1))
    near = asked.get("near") if run else NEAR if is_large(table) else None
    if near and rows > near:
        options["near"] = near
    return tuple(sorted(options.items()))


def is_large(table: Table) -> bool:
    """Would the Data page propose the near-field approximation?"""
    n, m = table.n_rows, len(table.features)
    return n > 2 * NEAR and (n * m > MANY_CELLS or one_pass_seconds(table) > LONG_PASS)


def _say_choice(table: Table, choice: Choice) -> None:
    n, options = choice.about_errors(table), dict(choice.options)
    of = n_cells(table, choice.kind, choice.tree)
    st.markdown(
        f"**About {counted(n, 'error')}** in the {of:,} cells that can have one.",
        help="Missing cells stay missing. Where the planted text happens to be what "
        "the cell held before, it is no error."
        f"{f' {percent(HELD_OUT)} of the rows are held out clean.' * choice.tree}",
    )
    if n < FEWEST:
        st.warning(
            f"Fewer than {FEWEST} errors say nothing. Choose a larger share of cells; "
            f"if {SHARES[-1]} % are not enough, this table is too small to try it on.",
            icon=":material/warning:",
        )
    near = (
        f" Large table: rows beyond the {options['near']:,} nearest count as equally "
        "far (fast approximation)."
        if "near" in options
        else ""
    )
    run = state.job()
    by_knn = run is not None and run.options.get("method", "knn") == "knn"
    as_in = ", as in your run" * by_knn
    st.caption(f"Values: KNN, K = {options['n_neighbors']:,}{as_in}.{near}")


# --- the run --------------------------------------------------------------------------


def _run(table: Table, choice: Choice) -> Iterator["Validation"]:
    # scikit-learn is loaded here, so not while a page is drawn
    from cellval.validation.run import iter_validation

    return iter_validation(
        table,
        kind=choice.kind,
        share=choice.share,
        removal=choice.tree,
        test_share=HELD_OUT,
        random_state=choice.seed,
        **dict(choice.options),
    )


def start_button(table: Table, choice: Choice) -> None:
    """How long it will take, and the start."""
    made_from, found = state.side("validation")
    active = found is not None and found.active
    again = found is not None and made_from == choice
    if not active and not again:
        st.caption(f":material/timer: {_time_words(table, choice)}")
    if st.button(
        "Plant and look again" if again else "Plant errors and look for them",
        key="start validation",
        type="secondary" if again else "primary",
        icon=":material/play_arrow:",
        disabled=active,
        help="In a copy of your table, in the background. Your file is not changed.",
    ):
        started = start_steps(table, partial(_run, table, choice))
        state.keep_side("validation", choice, started)
        started.wait(state.SHORT_RUN)
        st.rerun()


def _time_words(table: Table, choice: Choice) -> str:
    m = len(table.features)
    subsets: Any = "auto" if m < 10 else SUBSETS * m
    options = {**dict(choice.options), "subsets": subsets}
    try:
        seconds = valuation.expected_seconds(table, **options)
    except InputError:
        return "You can stop any time."  # the run says what is wrong
    # rows are tested by all others
    seconds *= (1 - HELD_OUT * choice.tree) ** (1 if "near" in options else 2)
    tree = "; the decision tree comes after that" * choice.tree
    return (
        f"Looking for the errors will take {about_time(seconds)} on this computer"
        f"{tree}. You can stop any time."
    )


def watch(table: Table, choice: Choice | None) -> None:
    """The run of this file, wherever it is: going on, failed, stopped or done."""
    made_from, found = state.side("validation")
    if found is None:
        return
    if found.active:
        _watch_run()
        return
    if found.status == "failed":
        st.error(plain(found.error or "This failed."), icon=":material/error:")
        return
    if found.status == "stopped":
        kept_words = (
            "What was found so far is kept."
            if found.result is not None
            else "There was nothing to keep yet."
        )
        st.caption(
            f":material/stop_circle: Stopped after {found.progress.done:.0%}. "
            f"{kept_words}"
        )
    if made_from != choice:
        st.warning(
            "The choice above, or the options of your run, were changed since this was "
            "computed. Plant errors again to see what that does.",
            icon=":material/update:",
        )
    if found.result is not None:
        show(table, found.result)


@st.fragment(run_every=1.0)
def _watch_run() -> None:
    _, found = state.side("validation")
    if found is None or not found.active:
        st.rerun()
    result = found.result
    words = "Planting errors"
    if result is not None:
        words = f"{result.stage.capitalize()}: {result.done:.0%}"
    side_progress("validation", found, words, "Keeps what was found so far.")
    if result is not None:
        show(found.table, result, live=True)
