"""Codes that may stand for "missing": one question for each column, answered once.

Data, Heatmap and the list ask it at their top. An answer is a change of many cells
(`Work.together`), before a run as after it.
"""

from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
import streamlit as st

from cellval.detect.placeholders import Placeholder, missing_codes
from cellval.repairs.repair import Repair
from cellval.repairs.work import Cell
from cellval.table.table import Table
from cellval.text import brief, counted, joined
from cellval.ui.session import FileWork, Session
from cellval.ui.text import plain
from cellval.views.many_changes import Changes

MOST_LINES = 3  # more go into a box that opens
MOST_NAMED = 3  # codes of one column
QUESTION = ":material/question_mark:"


class Question(NamedTuple):
    """Codes of one column, and what was decided on their cells."""

    column: str
    codes: tuple[Placeholder, ...]
    kind: str  # of the column
    blanks: Changes  # of all cells that are not repaired otherwise
    n_cells: int
    answer: str  # "blank", "fine" or nothing yet


def ask(session: Session, table: Table) -> None:
    """A line for each column with such codes; many, and answered ones, in a fold."""
    file, questions = session.file, _questions(session.file, table)
    answered = [question for question in questions if question.answer]
    asked = [question for question in questions if not question.answer]
    asked.sort(key=lambda question: -question.n_cells)
    first, more = asked[:MOST_LINES], asked[MOST_LINES:]
    with st.container(gap="xsmall"):
        for question in first:
            _line(file, question)
        if more or answered:
            title = f"{counted(len(more), 'more column')} with " if more else ""
            title += 'codes that may stand for "missing"'
            if answered:
                title += f", {len(answered):,} answered"
            title = f"{title[0].upper()}{title[1:]}"
            fold = session.widget_key("codes")
            with st.expander(title, icon=QUESTION, key=fold):
                for question in more:
                    _line(file, question)
                for question in answered:
                    _answered(file, question)


def _questions(file: FileWork, table: Table) -> list[Question]:
    found = groupby(missing_codes(table), key=lambda code: code.column)
    return [_question(file, table, name, tuple(codes)) for name, codes in found]


def _question(
    file: FileWork, table: Table, column: str, codes: tuple[Placeholder, ...]
) -> Question:
    blanks: dict[Cell, Repair] = {}
    for code in codes:
        own = Repair("blank", reason=f'{code.text} may stand for "missing".')
        for row in table.row_numbers[code.rows].tolist():
            # Cells that were repaired otherwise stay so.
            if file.repairs.get((row, column), own) == own:
                blanks[row, column] = own
    answer = ""
    if all(cell in file.repairs for cell in blanks):
        answer = "blank"
    elif all(file.decisions.get(cell) == "fine" for cell in blanks):
        answer = "fine"
    kind = table.features[table.feature_names.index(column)].kind
    n_cells = sum(code.n_cells for code in codes)
    return Question(column, codes, kind, blanks, n_cells, answer)


def _subject(question: Question) -> str:
    codes = [
        f"**{plain(brief(code.text, 20))}**"
        + (f" ({code.n_cells:,})" if len(question.codes) > 1 else "")
        for code in question.codes
    ]
    return f"**{plain(brief(question.column, 40))}**: {joined(codes, MOST_NAMED)}"


def _where(question: Question) -> str:
    if any(not np.isnan(code.number) for code in question.codes):
        return f"apart from all other {question.kind}s"
    if question.kind == "category":
        return "as a category" if len(question.codes) == 1 else "as categories"
    return f"among {question.kind}s"


def _line(file: FileWork, question: Question) -> None:
    n, one = question.n_cells, len(question.codes) == 1
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        does = "Does it" if one else "Do they"
        st.markdown(
            f"{_subject(question)} {'stands' if one else 'stand'} in "
            f'{counted(n, "cell")}, {_where(question)}. {does} mean "missing"?',
            width="content",
        )
        st.button(
            f"Blank all {n:,}" if n > 1 else "Blank it",
            key=f"codes blank {question.column}",
            on_click=partial(_answer, file, question, "blank"),
            help="Marks these cells as wrong and empties them in the repaired file; "
            "cells that you repaired otherwise stay so. It can be undone.",
        )
        st.button(
            "They are fine" if n > 1 else "It is fine",
            key=f"codes fine {question.column}",
            on_click=partial(_answer, file, question, "fine"),
            help="They mean what they say: marks these cells as fine. It can be "
            "undone.",
        )


def _answered(file: FileWork, question: Question) -> None:
    n = counted(len(question.blanks), "cell")
    words = {
        "blank": f"{n} will be blank in the repaired file.",
        "fine": f"{n} marked as fine.",
    }
    if not question.blanks:
        words["blank"] = "all cells are repaired otherwise."
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = f"{_subject(question)} – {words[question.answer]}"
        st.markdown(said, width="content")
        if question.blanks:
            st.button(
                "Undo",
                key=f"codes undo {question.column}",
                icon=":material/undo:",
                on_click=partial(_take_back, file, question),
                help="Ask again; the cells are as they were before the answer.",
            )


def _answer(file: FileWork, question: Question, answer: str) -> None:
    texts = joined([brief(code.text, 20) for code in question.codes], MOST_NAMED)
    where = f"{texts} in {brief(question.column)}"
    n = counted(len(question.blanks), "cell")
    words = {
        "blank": f'{n} blanked: {where} may stand for "missing"',
        "fine": f"{n} marked as fine: {where}",
    }
    with file.together(words[answer], question.blanks, kind="code"):
        for cell, blank in question.blanks.items():
            if answer == "blank":
                file.repair(*cell, blank)
            else:
                file.undo(cell)
                file.decide(*cell, "fine")


def _take_back(file: FileWork, question: Question) -> None:
    """By the group that the answer made; if it came from a file, cell by cell."""
    for group in reversed(file.groups):
        if set(group.cells) == set(question.blanks):
            file.undo_together(group)
            return
    for cell in question.blanks:
        file.undo(cell)
        if question.answer == "fine" or file.decisions.get(cell) == "error":
            file.decide(*cell, None)
