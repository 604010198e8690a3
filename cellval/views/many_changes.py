"""One change of many cells: what it would do, before it is done."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from cellval.detect.suggestions import Suggestion
from cellval.errors import InputError
from cellval.repairs.repair import Repair, Repairs
from cellval.table.table import Table
from cellval.text import content, counted

Cell = tuple[int, str]  # row number from 1, and column
Changes = Mapping[Cell, Repair]
LONGEST = 80  # characters of a cell
LEFT_ALONE = {  # one cell, several cells
    "nothing": (
        "{} cell has no likely suggestion and is left alone.",
        "{:,} cells have no likely suggestion and are left alone.",
    ),
    "same": ("{} cell holds it already.", "{:,} cells hold it already."),
    "row dropped": (
        "{} cell is in a row that is dropped.",
        "{:,} cells are in rows that are dropped.",
    ),
}


@dataclass(frozen=True)
class ManyChanges:
    """What would be done to many cells.

    Attributes
    ----------
    changes : mapping of (row number, column) to Repair
        Cells that will change; with a suggestion others of the row may change, too.
    n_repaired : int
        Cells that are repaired already: overwritten, or left as they are.
    left_alone : tuple of str
        A sentence each on cells that stay as they are, and why.
    """

    changes: Changes
    n_repaired: int
    left_alone: tuple[str, ...]


def many_changes(
    table: Table,
    cells: Iterable[Cell],
    made: Repairs,
    new: Callable[[Cell], Changes],
    *,
    overwrite: bool = False,
) -> ManyChanges:
    """Change cells of the table, to which repairs were `made`.

    `new` says what to do for each cell, perhaps nothing. Cells that are repaired
    already stay so unless they are to be overwritten.
    """
    texts = {name: table.cells[name].tolist() for name in table.cells}
    place = {number: i for i, number in enumerate(table.row_numbers.tolist())}
    changes: dict[Cell, Repair] = {}
    left: Counter[str] = Counter()
    n_repaired = 0

    def now(cell: Cell) -> str:
        repair = made.get(cell)
        return repair.text if repair else str(texts[cell[1]][place[cell[0]]]).strip()

    for cell in dict.fromkeys(cells):
        wanted = new(cell)
        if (cell[0], "") in made:
            left["row dropped"] += 1
        elif not wanted:
            left["nothing"] += 1
        elif all(repair.text == now(other) for other, repair in wanted.items()):
            left["same"] += 1
        elif any(
            changes.get(other, repair).text != repair.text
            for other, repair in wanted.items()
        ):  # Two cells want different things of a third, such as a swap with each.
            left["nothing"] += 1
        else:
            is_repaired = any(other in made for other in wanted)
            n_repaired += is_repaired
            if overwrite or not is_repaired:
                changes |= wanted
    said = [LEFT_ALONE[why][n > 1].format(n) for why, n in left.items()]
    return ManyChanges(changes, n_repaired, tuple(said))


def accepted(cell: Cell, option: Suggestion | None) -> dict[Cell, Repair]:
    """A suggestion as changes of the cell, and of others of its row; none for None."""
    if option is None:
        return {}
    changes = {cell: change_to(option.text, option.why)}
    for name, new in option.also:
        # Of the other cell the same is true the other way round.
        why = option.why.replace(f"'{name}'", f"'{cell[1]}'")
        changes[cell[0], name] = change_to(new, why)
    return changes


def change_to(new: str, reason: str) -> Repair:
    """A cell with another text; without text it is blanked."""
    return Repair("replace", new, reason) if new else Repair("blank", reason=reason)


def reading_words(table: Table, text: str, changes: Changes) -> str:
    """Of how many cells a text cannot be read, as a sentence; InputError if infinite.

    Empty if it can be read in all of them.
    """
    counts = Counter(name for _, name in changes)
    unread: Counter[str] = Counter()
    for name, n in counts.items():
        try:
            read = table.read_texts(name, [text])
        except InputError:
            raise InputError(
                f"'{content(text)}' is infinite: type another number."
            ) from None
        if read.missing[0]:
            unread[read.kind] += n
    return " ".join(
        f"In {counted(n, 'cell')} '{content(text)}' cannot be read as a {kind}: "
        "there it counts as missing."
        for kind, n in unread.items()
    )


def changes_preview(
    table: Table, changes: Changes, made: Repairs, most: int
) -> pd.DataFrame:
    """The first changes, before and after: row, column, before, after, why."""
    lines = []
    for (row, column), repair in list(changes.items())[:most]:
        before = content(table.cells[column].iat[table.position(row)], LONGEST)
        if (row, column) in made:
            before += f" (repaired: {content(made[row, column].text, LONGEST)})"
        after = content(repair.text, LONGEST)
        lines.append((row, column, before, after, repair.reason))
    return pd.DataFrame(lines, columns=["row", "column", "before", "after", "why"])
