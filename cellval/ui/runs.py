"""Starting, stopping, continuing and finding runs: on the file, and on its repairs."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from cellval.games.block_values import BlockValues
from cellval.jobs import queue
from cellval.jobs.background import ValuationJob
from cellval.jobs.expected import run_seconds
from cellval.jobs.fits import check_run
from cellval.progress import Snapshot
from cellval.project.project import Project
from cellval.project.results import again
from cellval.project.run import Keeper, Run, repairs_of
from cellval.repairs.comparison import Comparison
from cellval.table.table import Table
from cellval.ui.session import FileWork, RunMemo, Selection, Session
from cellval.ui.sources.groups import BlocksChoice
from cellval.ui.validate.kept import PlantingChoice, iter_validation_again
from cellval.ui.watch import SHORT_RUN
from cellval.values.options import RunOptions
from cellval.values.result import CellValues

log = logging.getLogger(__name__)


def start_run(session: Session, options: RunOptions) -> None:
    """Start on the chosen table, or InputError where it does not fit; an old run of
    this file is stopped.
    """
    assert session.table is not None, "no table was chosen"
    going_on = session.run if session.may_stop(session.run) else None
    check_run(session.table, options, instead_of=going_on)
    session.refused = ""
    if going_on is not None:
        going_on.stop()
    leave_run(session)
    _start(session, session.table, options, session.memo)


def _start(session: Session, table: Table, options: RunOptions, memo: RunMemo) -> None:
    # Of the session's own file: who looks on has a copy that belongs to no project.
    project, kept, keeper = session.file.project, None, None
    if project is not None:
        first = memo.first.memo.kept if memo.first is not None else None
        told = (memo.changes, first.id if first else "", memo.setup)
        kept = project.begin_run(options, *told)
        keeper = Keeper(project, kept)
    memo = memo._replace(file=session.file, kept=kept, is_cut_short=False)
    how = {"keeper": keeper, "foretold": run_seconds(table, options)}
    run = queue.start(table, options, who=session.who, **how)
    _note(run, memo)
    session.run = run
    run.wait(SHORT_RUN)


def _note(run: ValuationJob, memo: RunMemo) -> None:
    run.memo = memo
    if memo.kept is not None:
        memo.file.runs[memo.kept.id] = run


def leave_run(session: Session) -> None:
    """Show none; it goes on by itself, if anybody could find it again."""
    run = session.run
    if run is not None and not session.may_edit and session.may_stop(run):
        run.stop()
    session.run = session.repaired_run = session.held = None
    session.selection = Selection()


def goes_on(session: Session, run: ValuationJob) -> bool:
    """Is there more of a run that was stopped than its values?"""
    project, kept = session.file.project, run.memo.kept
    if project is None or project.folder is None:
        return False
    is_begun = run.values is not None
    return is_begun or (kept is not None and project.is_begun(kept))


def continue_run(session: Session) -> None:
    """Go on where a run was stopped or cut short, or after the test points drawn; or
    InputError where what is left does not fit.
    """
    old = session.run
    assert old is not None, "no run"
    if old.active:
        return  # a second click came before the page was drawn again
    if _latest(session, old) is None:
        _check_goes_on(session, old)
    with session.file.lock:  # two people may click at once
        run = _latest(session, old) or _continued(session, old)
    _show_instead(session, old, run)
    run.wait(SHORT_RUN)


def _latest(session: Session, old: ValuationJob) -> ValuationJob | None:
    """The one that goes on instead, where somebody else has continued a run."""
    kept: Run | None = old.memo.kept
    latest = session.file.runs.get(kept.id, old) if kept is not None else old
    return None if latest is old else latest


def _check_goes_on(session: Session, old: ValuationJob) -> None:
    # After all that was drawn, as much comes again.
    done = old.progress.done if goes_on(session, old) else 0.0
    check_run(old.table, old.options, 1.0 - done if done < 1 else 1.0)
    project, kept = session.file.project, old.memo.kept
    if project is not None and kept is not None:
        project.check_kept(kept)


def _continued(session: Session, old: ValuationJob) -> ValuationJob:
    before = None if old.values is None else old
    memo: RunMemo = old.memo._replace(before=before, why="")
    project, keeper = session.file.project, None
    if project is not None and memo.kept is not None:
        keeper = Keeper(project, memo.kept, more=old.status == "done")
        memo = memo._replace(file=session.file, is_cut_short=False)
    run = queue.start(old.table, old.options, who=session.who, keeper=keeper)
    _note(run, memo)
    return run


def come_back(session: Session) -> None:
    """Where a run that was continued ended before it had values, those that there were
    are shown again.
    """
    run = session.run
    if run is None or session.memo.before is None:
        return
    old: ValuationJob = session.memo.before
    is_over = run.is_over
    if run.values is not None:
        run.memo = run.memo._replace(before=None)  # they take memory
    elif is_over:
        kept: Run | None = run.memo.kept
        with session.file.lock:
            if kept is not None and session.file.runs.get(kept.id) is run:
                _note(old, old.memo._replace(why=run.error or ""))
        _show_instead(session, run, old)


def _show_instead(session: Session, old: ValuationJob, new: ValuationJob) -> None:
    session.run = new
    if session.repaired_run is old:
        session.repaired_run = new


def value_repaired(session: Session) -> None:
    """Value the repaired table as the file was valued, and show it; or InputError."""
    run, changes = session.run, dict(session.file.repairs)
    after = session.repaired_table(changes)
    assert run is not None, "no run"
    first = session.memo.first or run
    if session.memo.first and run.active and session.memo.changes == changes:
        return  # a second click, before the first was shown
    known = session.repaired_run
    is_known = known and known.status == "done" and known.memo.changes == changes
    if not is_known:
        going_on = run if session.may_stop(run) else None
        check_run(after, first.options, instead_of=going_on)
    for going_on in (run, first):
        if session.may_stop(going_on):
            going_on.stop()
    if is_known:
        session.run = known
    else:
        memo = session.memo._replace(first=first, changes=changes)
        _start(session, after, first.options, memo)
        session.repaired_run = session.run
    session.selection = session.selection.moved(run.table, after)


def leave_repaired(session: Session) -> None:
    """Show the run on the file as it was again."""
    first, run = session.memo.first, session.run
    if first is None or run is None:
        return
    if session.may_stop(run):
        run.stop()
    session.run = first
    session.selection = session.selection.moved(run.table, first.table)


def note_values(project: Project, run: ValuationJob) -> None:
    """Put the values that a run has into another project than its own."""
    kept: Run | None = run.memo.kept
    if run.values is None or kept is None:
        return
    step, status = run.progress, "stopped" if run.active else run.status
    now = replace(kept, status=status, done=step.done, seen=step.seen)
    now = replace(now, seconds=step.seconds, error=run.error or "")
    project.note_run(now, run.values)


# --- runs of a project that was opened again ------------------------------------------


def restore_runs(session: Session, project: Project) -> None:
    """Show the latest run of a project, with that on the file as it was."""
    kept = {run.id: run for run in project.runs}
    if not kept:
        return
    latest = list(kept.values())[-1]
    first = kept.get(latest.first)
    before = _found(session, project, first, None) if first else None
    session.run = _found(session, project, latest, before)
    if before is not None:
        session.repaired_run = session.run


def restore_results(session: Session, project: Project) -> None:
    """What was measured is shown again; what is damaged is left out, and said."""
    file, table = session.file, session.table
    if table is None:
        return
    for kind, (name, restore) in RESULTS.items():
        if getattr(file, kind).job is not None:
            continue
        try:
            if found := project.result(kind):
                restore(file, table, *found)
        except Exception:  # a file from elsewhere may hold anything
            log.warning("%s cannot be restored", kind, exc_info=True)
            session.refused = (
                f"{name} of this project cannot be read and is left out; everything "
                "else is there. Do it once more."
            )


def _restore_comparison(file: FileWork, table: Table, made: Any, result: Any) -> None:
    compared = again(Comparison, result)
    compared.frame()  # or it is left out: is it as large as it says?
    file.comparison.start(table, repairs_of(made), partial(_only, compared))


def _restore_blocks(file: FileWork, table: Table, made: Any, result: Any) -> None:
    choice, values = again(BlocksChoice, made), again(BlockValues, result)
    values.to_frame(), values.shares()  # likewise
    file.blocks.start(table.labelled, choice, partial(_only, values))


def _restore_validation(file: FileWork, table: Table, made: Any, result: Any) -> None:
    errors, table = again(PlantingChoice, made), table.labelled
    if result["table"] == table.fingerprint:
        steps = partial(iter_validation_again, table, result)
        file.validation.start(table, errors, steps)


RESULTS = {
    "comparison": ("The measurement", _restore_comparison),
    "blocks": ("What sources are worth", _restore_blocks),
    "validation": ("What came of planted errors", _restore_validation),
}


def _only(result: Any) -> Iterator[Snapshot[Any]]:
    yield Snapshot(1.0, seconds_left=0.0, make=partial(_itself, result))


def _found(
    session: Session, project: Project, kept: Run, first: ValuationJob | None
) -> ValuationJob:
    """A run of this server, or what is on disk of one that was."""
    file = session.file
    if kept.id in file.runs:
        return file.runs[kept.id]
    is_same = kept.setup == session.setup and not kept.changes
    table = session.table if is_same and session.table else project.table_of(kept)
    values = project.values_of(kept, table)
    options = project.options_of(kept, table)
    run = _over(kept, table, options, values)
    is_cut = kept.status == "running"
    _note(run, RunMemo(file, kept.setup, first, kept.changes, kept, is_cut))
    return run


def _over(
    kept: Run, table: Table, options: RunOptions, values: CellValues | None
) -> ValuationJob:
    """A run that does not go on: its values are shown again, if it had any."""
    if values is None:
        run = ValuationJob(table, options)
        is_failed = kept.status == "failed"
        run.end_as("failed" if is_failed else "stopped", kept.error or None)
        return run
    whole = kept.status == "done"
    over = Snapshot(
        1.0 if whole else min(kept.done, 0.999),
        kept.seconds,
        0.0,
        kept.seen,
        make=partial(_itself, values),
    )
    run = ValuationJob(table, options, over=over)
    run.start()
    run.wait(SHORT_RUN)
    return run


def _itself(result: Any) -> Any:
    return result


def copy_of(file: FileWork) -> FileWork:
    """For who only looks on: what they decide is theirs alone, and not kept."""
    return FileWork(
        source=file.source,
        decisions=dict(file.decisions),
        repairs=dict(file.repairs),
        before_repair=dict(file.before_repair),
        rules=dict(file.rules),
        reading=dict(file.reading),
        steps=list(file.steps),
        n_done=file.n_done,
        runs=file.runs,
    )
