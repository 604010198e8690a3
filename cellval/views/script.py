"""What was done to a file in the app, as a Python script that does it again."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from cellval import __version__
from cellval.recipes.applying import apply_recipe
from cellval.recipes.recipe import Recipe, no_yaml
from cellval.repairs.repair import Repair, Repairs, place_of, repaired_name, split
from cellval.table.table import Table
from cellval.text import brief
from cellval.values.options import RunOptions

WIDTH = 88
BY_RECIPE = "# By content and id: `cellval apply` does the same to the next file."
DO_RECIPE = """\
done = cellval.apply_recipe(cellval.read_recipe(RECIPE.encode()), table)
print(*done.misfits, sep="\\n")  # what of the recipe does not fit this file
repairs = done.repairs"""
SPOKEN = 60  # characters of a file's name in a comment


def script(
    table: Table,
    recipe: Recipe,
    repairs: Repairs,
    options: RunOptions | None = None,
    *,
    test_file: str = "",
    of_repaired: bool = False,
    measured: bool = False,
) -> str:
    """Python that reads, values and repairs a file as it was done.

    Parameters
    ----------
    table : Table
        Before the repairs.
    recipe : Recipe
        Of what was decided, with the way the file is read.
    repairs : mapping of (row number, column) to Repair
        That the recipe was made of.
    options : RunOptions, optional
        Of the run on the table; None if there was none.
    test_file : str
        Name of the second file, if there is one with test rows.
    of_repaired, measured : bool
        Were the repaired cells valued as well, and models compared?
    """
    name, stem = table.name, Path(repaired_name(table)).name.rpartition("_repaired")[0]
    outputs = [f"{stem}-values.npz"] * bool(options and table.label)
    outputs += [repaired_name(table)] * bool(repairs)
    by_recipe = bool(recipe.steps) and not no_yaml()
    by_recipe = by_recipe and _is_exact(table, recipe, repairs)
    parts = [
        _head(name, outputs, bool(repairs)),
        f"FILE = sys.argv[1] if len(sys.argv) > 1 else {_literal(name)}",
        *[f"{BY_RECIPE}\nRECIPE = {_text(recipe.text)}" for _ in range(by_recipe)],
        _call("table = cellval.read", "FILE", _reading(table, recipe)),
    ]
    if options and table.label:
        parts.append(_valued("values", "table", options, test_file, outputs[0]))
    if by_recipe:
        parts.append(DO_RECIPE)
    elif repairs:
        parts.append(_each(repairs))
    if repairs:
        parts.append(_repaired(table, outputs[-1], of_repaired or measured))
    if repairs and of_repaired and options and table.label:
        parts.append(_valued("values_after", "fixed", options, test_file))
    if repairs and measured:
        parts.append(_compared(options or RunOptions()))
    return "\n\n".join(parts) + "\n"


def _head(name: str, outputs: list[str], with_paths: bool) -> str:
    done = f"# What was done to {_spoken(name)} with cellval {__version__}, as Python."
    where = "# Run it beside the file, or name that: python SCRIPT.py FILE"
    writes = f"# It writes {' and '.join(map(_spoken, outputs))}."
    heads = [done, where, *[writes] * bool(outputs), "", "import sys"]
    heads += ["from pathlib import Path"] * with_paths
    return "\n".join([*heads, "", "import cellval"])


def _is_exact(table: Table, recipe: Recipe, repairs: Repairs) -> bool:
    """Does the recipe do to the table itself what it was made of?"""
    (texts, drop), (asked, gone) = map(
        split, (apply_recipe(recipe, table).repairs, repairs)
    )
    return texts == asked and {*drop} == {*gone}


def _each(repairs: Repairs) -> str:
    """Repairs cell by cell."""
    lines = [
        f"    ({row}, {_literal(column)}): {_new(repair)},"
        for (row, column), repair in repairs.items()
    ]
    return "\n".join(["repairs = {", *lines, "}"])


def _new(repair: Repair) -> str:
    if repair.action == "drop":
        return 'cellval.Repair("drop")'
    return _literal(repair.text) if repair.action == "replace" else "None"


def _reading(table: Table, recipe: Recipe) -> dict[str, str]:
    """Options of `cellval.read`; the label as it was guessed, or chosen."""
    reading = recipe.reading
    said: dict[str, Any] = {"label": table.label or None}
    said |= {"id_column": reading.id_column} if reading.id_column else {}
    said |= {"exclude": [*reading.exclude]} if reading.exclude else {}
    said |= {"kinds": dict(reading.kinds)} if reading.kinds else {}
    said |= {key: x for key, x in reading.place.items() if x is not None}
    return {key: _literal(value) for key, value in said.items()}


def _valued(
    name: str, of: str, options: RunOptions, test_file: str, out: str = ""
) -> str:
    said = {
        option.name: _literal(getattr(options, option.name))
        for option in fields(options)
        if options.is_given(option) and option.name != "test"
    }
    if isinstance(options.test, Table):
        said["test"] = f"cellval.read({_literal(test_file)}, like={of})"
    elif options.test is not None:
        said["test"] = _literal(options.test)
    lines = ["# The value of every cell, in shares of the score. Lower is worse."]
    if options.budget is not None:
        lines.append("# It ends by the clock: how far it comes is not always the same.")
    lines.append(_call(f"{name} = cellval.value_cells", of, said))
    lines += [f"{name}.save({_literal(out)})"] if out else []
    return "\n".join([*lines, f"print({name}.lowest(10).to_string())"])


def _repaired(table: Table, out: str, as_table: bool) -> str:
    where = {key: _literal(value) for key, value in place_of(table).items()}
    lines = [
        "# The file itself, changed in the repaired cells only.",
        _call("fixed_file = cellval.repair_file", "FILE, repairs", where),
        f"Path({_literal(out)}).write_bytes(fixed_file)",
    ]
    lines += ["fixed = cellval.repair(table, repairs)"] if as_table else []
    return "\n".join(lines)


def _compared(options: RunOptions) -> str:
    k = {"n_neighbors": repr(options.n_neighbors)}
    call = _call("compared = cellval.compare_models", "table, fixed", k)
    return f"{call}\nprint(compared.frame().to_string())"


# --- Python ---------------------------------------------------------------------------


def _call(function: str, first: str, options: dict[str, str]) -> str:
    """On one line, or an option a line."""
    said = [f"{name}={value}" for name, value in options.items()]
    line = f"{function}({', '.join([first, *said])})"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{function}(", *(f"    {x}," for x in [first, *said]), ")"])


def _literal(value: Any) -> str:
    """A text, number, list or mapping as Python reads it; nothing in it is run."""
    if isinstance(value, str):
        return '"' + "".join(map(_letter, value)) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        pairs = (f"{_literal(key)}: {_literal(x)}" for key, x in value.items())
        return f"{{{', '.join(pairs)}}}"
    return repr(value)


def _text(text: str) -> str:
    """A text of many lines, as it is read."""
    lines = ("".join(map(_letter, line)) for line in text.split("\n"))
    return '"""\\\n' + "\n".join(lines) + '"""'


def _letter(letter: str) -> str:
    """As it is, unless it would end the text, or cannot be seen."""
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return letter.encode("unicode_escape").decode("ascii")


def _spoken(name: str) -> str:
    """For a comment, of which nothing leaves the line."""
    return "".join(c if c.isprintable() else "?" for c in brief(name, SPOKEN))
