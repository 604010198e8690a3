"""Did a repair help? Measuring real models before and after, watched on a page."""

from collections.abc import Iterator

import streamlit as st

from cellval.cluster import of_the_app
from cellval.figures.comparison import accuracies
from cellval.glossary import TESTED_ACCURACY_HELP
from cellval.jobs.background import Job
from cellval.progress import Snapshot
from cellval.project.results import told
from cellval.project.run import changes_told
from cellval.repairs.comparison import Comparison
from cellval.table.table import Table
from cellval.text import counted, whole_percent
from cellval.ui import tables
from cellval.ui.charts import chart
from cellval.ui.session import Session
from cellval.ui.text import plain
from cellval.ui.watch import ended, follow, progress
from cellval.ui.widgets import action
from cellval.values.memory import COMPARED, check_memory
from cellval.values.options import RunOptions

SPREAD_HELP = (
    "How far the repeats lie apart: the standard deviation of their tested accuracy, "
    "in percentage points (pp). Each repeat splits the rows into other folds."
)
R2_HELP = (
    "Tested R²: the share of the label's variance that a trained model explains in "
    "rows without changes, in cross-validation. 1 is perfect, 0 no better than the "
    "mean. Lower is worse."
)
R2_INTERVAL_HELP = (
    "After minus before; above 0 is better. If the 95 % interval holds 0, the "
    "difference may be chance."
)
ERROR_HELP = (
    "Mean absolute error: how far predictions are off, in the unit of the label. Here "
    "higher is worse."
)
INTERVAL_HELP = (
    "After minus before, in percentage points; above 0 is better. If the 95 % interval "
    "holds 0, the difference may be chance."
)


def measure(session: Session, table: Table) -> None:
    """Start measuring, watch it, and show what came of it."""
    file = session.file
    found = file.comparison.on(table)
    if not file.repairs and found is None:
        st.caption("Change something first; then models can be compared.")
        return
    again = found is not None and not found.active
    action(
        "Measure again" if again else "Measure before and after",
        lambda: _start(session, table),
        key="measure",
        type="secondary" if again else "primary",
        icon=":material/speed:",
        disabled=not file.repairs or (found is not None and found.active),
        help="Trains three models with the table as it was and as it is now, and "
        "compares how well they predict rows that were not changed.",
    )
    if found is not None and not session.is_measured:
        st.warning(
            "Changes were made or undone since this was measured. Measure again to "
            "see what they do.",
            icon=":material/update:",
        )
    follow(file.comparison.on(table), _going, _over)


def _start(session: Session, before: Table) -> None:
    """In the background; or InputError where the repairs do not fit the table, or the
    table not into memory.
    """
    check_memory(before, COMPARED)
    made_from, project = dict(session.file.repairs), session.file.project
    after = session.repaired_table(made_from)
    asked = session.run.options if session.run else RunOptions()

    def compare() -> Iterator[Snapshot[Comparison]]:
        # scikit-learn is loaded here, so not while a page is drawn
        from cellval.repairs.measure import iter_comparison

        k, there = asked.n_neighbors, of_the_app()
        return iter_comparison(before, after, n_neighbors=k, executor=there)

    def keep(found: Comparison) -> None:
        if project is not None:
            project.keep_result("comparison", changes_told(made_from), told(found))

    side = session.file.comparison
    side.start(before, made_from, compare, keep, who=session.who)


def _going(job: Job[Comparison]) -> None:
    done = job.progress.done
    words = f"Measuring: {whole_percent(done)}" if done else "Measuring: starting"
    keeps = "Keeps what there is."
    progress(job, words, keeps, label="Stop measuring", key="stop measuring")
    if job.result is not None and done > 0:
        _verdicts(job.result)  # a figure every second would slow the models down


def _over(job: Job[Comparison]) -> None:
    is_begun = job.progress.done > 0
    keeps = "What was measured so far is kept." if is_begun else ""
    if ended(job, keeps) and is_begun:
        assert job.result is not None
        _show(job.result)


def _show(result: Comparison) -> None:
    _verdicts(result)
    score = "R²" if result.of_numbers else "accuracy"
    chart(accuracies(result), f"Tested {score} before and after", menu=False)
    if result.of_numbers:
        _table_of_numbers(result)
    else:
        _table(result)
    dropped = f", {result.n_dropped:,} of them dropped" if result.n_dropped else ""
    _, repeats, folds = result.before.shape
    st.caption(
        f"Tested {score}: on the {counted(result.n_tested, 'row')} that were not "
        f"changed. Changed rows ({result.n_touched:,}{dropped}) only serve to learn "
        "from, once as they were and once as they are now. "
        f"{folds}-fold cross-validation, "
        f"{counted(repeats, 'repeat')}. {plain(result.reference)} {plain(result.note)}",
        help=R2_HELP if result.of_numbers else TESTED_ACCURACY_HELP,
    )


def _verdicts(result: Comparison) -> None:
    if result.of_numbers:
        st.caption("R² is 1 for perfect predictions and 0 for always saying the mean.")
    else:
        st.caption("Differences are in percentage points (pp) of the tested accuracy.")
    for model in result.models:
        st.markdown(f"**{plain(model)}.** {plain(result.verdict(model))}")


def _table_of_numbers(result: Comparison) -> None:
    number = tables.number
    columns = {
        "before": number("R² before", 3, help=R2_HELP),
        "after": number("R² after", 3, help=R2_HELP),
        "difference": number("difference", "%+.3f", help=R2_INTERVAL_HELP),
        "low": number("from", "%+.3f", help=R2_INTERVAL_HELP),
        "high": number("to", "%+.3f", help=R2_INTERVAL_HELP),
        "error_before": number("error before", "localized", help=ERROR_HELP),
        "error_after": number("error after", "localized", help=ERROR_HELP),
    }
    tables.draw(
        result.frame()[list(columns)].reset_index(),
        "Tested R² and mean absolute error before and after, for each model",
        {"model": tables.text(width=140), **columns},
    )


def _table(result: Comparison) -> None:
    number, tested = tables.number, TESTED_ACCURACY_HELP
    columns = {
        "before": number("tested accuracy before (%)", 1, help=tested),
        "before_spread": number("± spread (pp)", 2, help=SPREAD_HELP),
        "after": number("tested accuracy after (%)", 1, help=tested),
        "after_spread": number("± spread (pp) ", 2, help=SPREAD_HELP),
        "difference": number("difference (pp)", "%+.2f", help=INTERVAL_HELP),
        "low": number("from (pp)", "%+.2f", help=INTERVAL_HELP),
        "high": number("to (pp)", "%+.2f", help=INTERVAL_HELP),
    }
    tables.draw(
        (100 * result.frame()[list(columns)]).reset_index(),
        "Tested accuracy before and after, for each model",
        {"model": tables.text(width=140), **columns},
    )
