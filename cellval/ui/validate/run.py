"""Validate: which errors to plant, the start, the run in the background, its end."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import streamlit as st

from cellval.cluster import of_the_app
from cellval.errors import InputError
from cellval.jobs.background import Job
from cellval.jobs.expected import surprise_seconds, values_seconds
from cellval.jobs.fits import check_seconds
from cellval.knn.plan import subsets_to_compare
from cellval.parallel import n_cores
from cellval.progress import Snapshot
from cellval.project.results import told
from cellval.table.table import Table
from cellval.text import counted, percent, whole_percent
from cellval.ui.data.options import NEAR, choose_seed, is_large
from cellval.ui.session import Session
from cellval.ui.text import roughly
from cellval.ui.validate.kept import PlantingChoice, validation_told
from cellval.ui.validate.results import cells_words, show
from cellval.ui.watch import ended, follow, progress, start_button
from cellval.ui.widgets import lasting, one_of, segments
from cellval.validation.planted_table import (
    FEWEST,
    n_held_out,
    n_plantable,
    possible_kinds,
)
from cellval.validation.planting import KINDS
from cellval.values.memory import check_memory
from cellval.values.options import RunOptions

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.validation.result import Validation

SHARES = (1, 2, 5, 10, 15)  # % of the cells
ENOUGH = 10  # errors that the proposed share should give
HELD_OUT = 0.3  # of the rows


def n_able(table: Table, kind: str, tree: bool) -> int:
    """Cells that can have such an error, about, in the rows that are planted into."""
    return round((1 - HELD_OUT * tree) * n_plantable(table, kind))


# --- choosing -------------------------------------------------------------------------


def choose(session: Session, table: Table) -> PlantingChoice:
    """Widgets for the errors, or InputError where none can be planted."""
    kinds = possible_kinds(table)
    if not kinds:
        raise InputError(
            f"{table.name} has no column of numbers, dates or categories that is a "
            "feature, so that no error can be planted. Look at the columns on the Data "
            "page."
        )
    planted = session.file.validation
    # also after a restart: what is shown belongs to it
    last = planted.made_from if planted.on(table) else None
    a, b = st.columns(2, gap="medium")
    with a.container(border=True, height="stretch"):
        kind = _choose_kind(session, kinds, last.kind if last else kinds[0])
    with b.container(border=True, height="stretch"):
        tree = st.toggle(
            "Train a decision tree, too",
            **lasting(session, "validate tree", last.tree if last else True),
            help=f"{percent(HELD_OUT)} of the rows stay clean and are held out; a "
            "decision tree that learned from the others is tested on them, while "
            "suspicious cells are refilled. Without it, errors go into all rows.",
        )
        usual = proposed_share(table, kind, tree)
        if last is not None and 100 * last.share in SHARES:
            usual = round(100 * last.share)
        share = st.segmented_control(
            "Share of the cells that get an error",
            **segments(session, "validate share", SHARES, usual),
            format_func="{} %".format,
        )
        seed = choose_seed(
            session,
            "validate seed",
            "Which cells get an error is drawn by lot; another number draws others. "
            "The same number gives the same result.",
            default=last.seed if last else 0,
        )
        options = options_of(session, table, tree)
        choice = PlantingChoice(kind, share / 100, seed, tree, options)
        _say_choice(session, table, choice)
    return choice


def _choose_kind(session: Session, kinds: list[str], usual: str) -> str:
    kind = st.radio(
        "Kind of error",
        **one_of(session, "validate kind", kinds, usual),
        format_func=str.capitalize,
        captions=[KINDS[kind] for kind in kinds],
        help="Every kind is found differently well. Choose the one that you fear.",
    )
    if others := [kind.capitalize() for kind in KINDS if kind not in kinds]:
        st.caption(
            f"{' and '.join(others)}: not possible here, because no column of numbers "
            "is a feature."
        )
    return str(kind)


def proposed_share(table: Table, kind: str, tree: bool) -> int:
    """2 %, or the first larger share that gives a few errors."""
    n = n_able(table, kind, tree)
    return next((s for s in SHARES[1:] if s * n / 100 >= ENOUGH), SHARES[-1])


def _run_of_cells(session: Session) -> RunOptions | None:
    """Options of the run at hand, if cells can be valued in the same way here."""
    run = session.memo.first or session.run
    return run.options if run and run.options.method == "knn" else None


def options_of(
    session: Session, table: Table, tree: bool
) -> tuple[tuple[str, Any], ...]:
    """How the cells are valued: as in the run at hand, if there is one."""
    run = _run_of_cells(session)
    asked = run or RunOptions(near=NEAR if is_large(table) else None)
    rows = round((1 - HELD_OUT * tree) * table.n_rows)
    options: dict[str, Any] = {
        "n_neighbors": max(1, min(asked.n_neighbors, rows - 1)),
        "scoring": asked.scoring,
        "baseline": asked.baseline,
        "column_weights": asked.column_weights,
    }
    if asked.near and rows > asked.near:
        options["near"] = asked.near
    return tuple(sorted(options.items()))


def _say_choice(session: Session, table: Table, choice: PlantingChoice) -> None:
    able, options = n_able(table, choice.kind, choice.tree), dict(choice.options)
    n, clean = round(choice.share * able), n_held_out(table, HELD_OUT * choice.tree)
    cells = cells_words(table.n_rows - clean, len(table.features), clean)
    st.markdown(
        f"**About {counted(n, 'error')}** in {cells}.",
        help=f"So many cells are inspected. About {able:,} of them can get such an "
        f"error, and {percent(choice.share)} of these do; missing cells stay missing. "
        "Where the planted text happens to be what the cell held before, it is no "
        "error.",
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
    as_in = "" if _run_of_cells(session) is None else ", as in your run"
    st.caption(f"Values: KNN, K = {options['n_neighbors']:,}{as_in}.{near}")


# --- the run --------------------------------------------------------------------------


def start(session: Session, table: Table, choice: PlantingChoice) -> None:
    """How long it will take, and the button that starts it."""
    planted = session.file.validation
    job = planted.on(table)
    if job is None or (not job.active and planted.made_from != choice):
        st.caption(f":material/timer: {_time_words(table, choice)}")

    def validate() -> "Iterator[Snapshot[Validation]]":
        # scikit-learn is loaded here, so not while a page is drawn
        from cellval.validation.run import iter_validation

        return iter_validation(
            table,
            kind=choice.kind,
            share=choice.share,
            removal=choice.tree,
            test_share=HELD_OUT,
            random_state=choice.seed,
            executor=of_the_app(),
            **dict(choice.options),
        )

    def check() -> None:
        check_memory(table)
        check_seconds(_seconds(table, choice))

    project = session.file.project

    def keep(found: "Validation") -> None:
        if project is not None:
            result = validation_told(table, found)
            project.keep_result("validation", told(choice), result)

    start_button(
        planted,
        table,
        choice,
        validate,
        labels=("Plant errors and look for them", "Plant and look again"),
        key="start validation",
        words="In a copy of your table, in the background. Your file is not changed.",
        check=check,
        keep=keep,
    )


def _seconds(table: Table, choice: PlantingChoice) -> float:
    """That looking for the errors takes, without the decision tree; NaN if unknown."""
    options = dict(choice.options)
    rows = round((1 - HELD_OUT * choice.tree) * table.n_rows)
    subsets: Any = subsets_to_compare(rows, len(table.features))
    try:
        seconds = values_seconds(table, RunOptions(**options, subsets=subsets))
    except InputError:
        return math.nan  # the run says what is wrong
    seconds += surprise_seconds(table) / n_cores()
    # rows are tested by all others
    return seconds * (1 - HELD_OUT * choice.tree) ** (1 if "near" in options else 2)


def _time_words(table: Table, choice: PlantingChoice) -> str:
    seconds = _seconds(table, choice)
    if math.isnan(seconds):
        return "You can stop any time."
    tree = "; the decision tree comes after that" * choice.tree
    return (
        f"Looking for the errors will take {roughly(seconds)} on this computer"
        f"{tree}. You can stop any time."
    )


def watch(session: Session, table: Table, choice: PlantingChoice | None) -> None:
    """The run of this file, wherever it is: going on, failed, stopped or done."""
    planted = session.file.validation

    def going(job: "Job[Validation]") -> None:
        stage = job.progress.seen
        words = (
            f"{stage.capitalize()}: {whole_percent(job.progress.done)}" if stage else ""
        )
        keeps = "Keeps what was found so far."
        progress(job, words or "Planting errors", keeps, key="stop validation")
        if job.result is not None:
            show(session, table, job.result, live=True)

    def over(job: "Job[Validation]") -> None:
        keeps = "What was found so far is kept."
        if job.result is None:
            keeps = "There was nothing to keep yet."
        if not ended(job, keeps):
            return
        if planted.made_from != choice:
            st.warning(
                "The choice above, or the options of your run, were changed since this "
                "was computed. Plant errors again to see what that does.",
                icon=":material/update:",
            )
        if job.result is not None:
            show(session, table, job.result)

    follow(planted.on(table), going, over)
