"""`Recipe`: steps by content and id, as YAML that a person can read and write.

Every scalar is a text, quoted or not: ``after: 012`` writes 012, ``after: no`` writes
no. So nothing of a cell is taken for a number, a date or a truth.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

from cellval.detect.rule import Rule, fault
from cellval.errors import InputError
from cellval.limits import refuse_beyond
from cellval.recipes.rows import RowName
from cellval.recipes.steps import (
    ANSWERS,
    Answer,
    DropRow,
    Fine,
    Reading,
    Replace,
    ReplaceCell,
    Step,
)
from cellval.table.columns import KINDS
from cellval.table.decoding import bytes_of
from cellval.text import counted, listed, shortened

VERSION = 1
DEEPEST = 8  # lists and mappings in each other; a recipe has 5
UNBROKEN = 2**30  # letters of a line: a text that is broken is hard to compare
HEAD = """\
# What was decided on {name}, by content and id, for the next file:
#   cellval apply recipe.yaml next.csv --out fixed.csv
# Steps on one cell come before those on a text, and these before rules.
"""
YES = {"yes": True, "true": True, "no": False, "false": False}
PRINT = set("0123456789abcdef")  # of a fingerprint


@dataclass(frozen=True)
class Recipe:
    """What was decided on a file, told so that it can be done to the next one.

    Attributes
    ----------
    steps : tuple
        `Replace`, `ReplaceCell`, `DropRow`, `Fine`, `Rule` or `Answer` each.
    made_from : str
        Name of the file.
    columns : tuple of str
        Of the file; by what they hold rows without an id are told from others.
    reading : Reading
        How the file was read.
    notes : tuple of str
        What of the decisions is not in it.

    Examples
    --------
    >>> import cellval
    >>> step = "{do: replace, column: kg, texts: {'-99': ''}}"
    >>> recipe = cellval.read_recipe(f"version: 1\\nsteps: [{step}]".encode())
    >>> recipe.steps
    (Replace(column='kg', texts=(('-99', ''),), why=''),)
    """

    steps: tuple[Step, ...] = ()
    made_from: str = ""
    columns: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those that were accepted or refused."""
        return tuple(step for step in self.steps if isinstance(step, Rule))

    @property
    def text(self) -> str:
        """As YAML."""
        yaml = _yaml()
        told: dict[str, Any] = {"version": VERSION}
        told |= _said({"made_from": self.made_from, "columns": list(self.columns)})
        if reading := _reading_told(self.reading):
            told["reading"] = reading
        told |= {"notes": list(self.notes)} if self.notes else {}
        told["steps"] = [_told(step) for step in self.steps]
        return HEAD.format(name=shortened(self.made_from or "a file")) + yaml.dump(
            told,
            Dumper=_dumper(yaml),
            sort_keys=False,
            allow_unicode=True,
            width=UNBROKEN,
            default_flow_style=False,
        )


def read_recipe(source: Any) -> Recipe:
    """A recipe from a YAML file, written by `cellval recipe`, the app or by hand.

    Parameters
    ----------
    source : path, bytes, or binary or text buffer

    Examples
    --------
    >>> import cellval
    >>> text = b"version: 1\\nsteps:\\n- {do: replace, column: x, texts: {n/a: ''}}\\n"
    >>> cellval.read_recipe(text).steps
    (Replace(column='x', texts=(('n/a', ''),), why=''),)
    """
    raw, name = bytes_of(source, limit="recipe_mb", advice="leave some steps out")
    name = "The recipe" if name == "table" else name
    try:
        return _recipe(_Fields(_tree(raw, name), ""))
    except InputError as error:
        words = str(error)
        # One that is about the whole file names it already.
        raise (
            error if words.startswith(name) else InputError(f"{name}: {words}")
        ) from None


# --- YAML to plain texts, lists and mappings ------------------------------------------


def no_yaml() -> str:
    """Why recipes can be neither read nor written here; empty if they can."""
    if find_spec("yaml") is not None:
        return ""
    return (
        "Recipes are YAML files, and what reads and writes them is not installed. Run "
        'pip install "cellval[recipes]".'
    )


def _yaml() -> Any:
    if why := no_yaml():
        raise InputError(why)
    import yaml

    return yaml


def _tree(raw: bytes, name: str) -> Any:
    yaml = _yaml()
    # It knows texts, lists and mappings only; the one in C is ten times faster.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name} is not in UTF-8. Save it as UTF-8.") from None
    try:
        return _built(yaml, yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1:,}" if mark else ""
        said = getattr(error, "problem", None) or "it cannot be read"
        raise InputError(
            f"{name}{line} is no YAML: {shortened(said)}. Texts with marks are best "
            "put between single quotes."
        ) from None


@dataclass(frozen=True)
class _Mapping:
    line: int
    items: dict[str, Any]


def _built(yaml: Any, events: Any) -> Any:
    """Texts, lists, and mappings with their lines; nothing that grows or goes deep."""
    root: list[Any] = []
    within: list[Any] = [root]  # lists and mappings that are not at their end
    names: list[str | None] = [None]  # of mappings among them: what comes next
    documents = 0
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            within.pop()
            names.pop()
            continue
        documents += isinstance(event, yaml.DocumentStartEvent)
        if not isinstance(event, yaml.NodeEvent) and documents < 2:
            continue
        line = event.start_mark.line + 1
        if documents > 1 or len(within) > DEEPEST:
            raise InputError(
                f"line {line:,} is no part of a recipe. Write one as docs/recipes.md "
                "shows it."
            )
        if event.anchor is not None:
            raise InputError(
                f"line {line:,} has an anchor or alias (& or *), which a recipe cannot "
                "have. Write the text itself, between quotes if it begins so."
            )
        is_text = isinstance(event, yaml.ScalarEvent)
        inside = within[-1]
        if isinstance(inside, _Mapping) and names[-1] is None:
            if not is_text:
                raise InputError(f"line {line:,}: names must be texts.")
            if event.value in inside.items:
                name = shortened(event.value)
                raise InputError(f"line {line:,}: '{name}' is there twice. Delete one.")
            names[-1] = event.value
            continue
        made: Any = event.value if is_text else []
        if isinstance(event, yaml.MappingStartEvent):
            made = _Mapping(line, {})
        if isinstance(inside, _Mapping):
            assert names[-1] is not None
            inside.items[names[-1]], names[-1] = made, None
        else:
            inside.append(made)
        if not is_text:
            within.append(made)
            names.append(None)
    return root[0] if root else None


# --- plain to nouns -------------------------------------------------------------------


class _Fields:
    """A mapping that is taken apart: all of it, or a sentence says what is wrong."""

    def __init__(self, tree: Any, place: str) -> None:
        self.place = place
        if not isinstance(tree, _Mapping):
            if place:
                raise self.wrong("names with what they mean belong here: column: x")
            raise self.wrong(
                "this is no recipe: names with what they mean belong here, such as "
                "version: 1. Choose a file that the Export page or `cellval recipe` "
                "wrote"
            )
        if place:
            self.place = f"{place} (line {tree.line:,})"
        self._left = dict(tree.items)
        self._known: list[str] = []

    def wrong(self, sentence: str) -> InputError:
        return InputError(
            f"{self.place}: {sentence}." if self.place else f"{sentence}."
        )

    def take(self, name: str, needed: bool = False) -> Any:
        self._known.append(name)
        if needed and name not in self._left:
            raise self.wrong(f"'{name}' is missing")
        return self._left.pop(name, None)

    def text(self, name: str, needed: bool = False) -> str:
        found = self.take(name, needed)
        if found is None:
            return ""
        return self._checked(name, found)

    def number(self, name: str, usual: int) -> int:
        found = self.text(name)
        if not found:
            return usual
        digits = found.lstrip("0")
        is_number = found.isascii() and found.isdigit() and 0 < len(digits) < 10
        if not is_number:
            raise self.wrong(f"'{name}' must be a whole number from 1")
        return int(digits)

    def real(self, name: str, usual: Any) -> Any:
        found = self.text(name)
        if not found:
            return usual
        try:
            number = float(found)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self.wrong(f"'{name}' must be a number, such as 2.54")
        return number

    def truth(self, name: str, usual: bool) -> bool:
        found = self.text(name)
        if not found:
            return usual
        if found.casefold() not in YES:
            raise self.wrong(f"'{name}' must be yes or no")
        return YES[found.casefold()]

    def texts(self, name: str, needed: bool = False) -> tuple[str, ...]:
        found = self.take(name, needed)
        if found is None:
            return ()
        if not isinstance(found, list):
            raise self.wrong(f"'{name}' must be a list of texts, such as [a, b]")
        return tuple(self._checked(name, text) for text in found)

    def pairs(self, name: str, needed: bool = False) -> tuple[tuple[str, str], ...]:
        found = self.take(name, needed)
        if found is None:
            return ()
        if not isinstance(found, _Mapping):
            raise self.wrong(f"'{name}' must have lines such as 'before': 'after'")
        return tuple((a, self._checked(name, b)) for a, b in found.items.items())

    def lines(self, name: str, length: int) -> tuple[tuple[str, ...], ...]:
        found = self.take(name)
        if found is None:
            return ()
        fits = isinstance(found, list)
        if not fits or any(type(x) is not list or len(x) != length for x in found):
            raise self.wrong(
                f"'{name}' must have lines of {counted(length, 'text')} each"
            )
        return tuple(tuple(self._checked(name, text) for text in x) for x in found)

    def end(self) -> None:
        if self._left:
            raise self.wrong(
                f"{listed(self._left, 3)} is not known here; there may be "
                f"{', '.join(dict.fromkeys(self._known))}"
            )

    def _checked(self, name: str, found: Any) -> str:
        if not isinstance(found, str):
            raise self.wrong(f"'{name}' must be a text")
        what = f"{self.place}: '{name}'" if self.place else f"'{name}'"
        refuse_beyond(what, "cell_length", len(found), "shorten it")
        return found


def _recipe(fields: _Fields) -> Recipe:
    version = fields.text("version", needed=True)
    if version != str(VERSION):
        raise fields.wrong(
            f"version {shortened(version)} is not known; this cellval reads version "
            f"{VERSION}"
        )
    made_from, columns = fields.text("made_from"), fields.texts("columns")
    reading, notes = fields.take("reading"), fields.texts("notes")
    steps = fields.take("steps", needed=True)
    fields.end()
    if steps == "":  # a list that is empty
        steps = []
    if not isinstance(steps, list):
        raise fields.wrong("'steps' must be a list; each begins with '- do: ...'")
    found = Recipe(
        tuple(_step(_Fields(one, f"step {k:,}")) for k, one in enumerate(steps, 1)),
        made_from,
        columns,
        _reading(_Fields(reading, "reading")) if reading else Reading(),
        notes,
    )
    n_rules = sum(not rule.refused for rule in found.rules)  # each looks at all rows
    refuse_beyond("it", "recipe_rules", n_rules, "leave some out")
    return found


def _reading(fields: _Fields) -> Reading:
    found = Reading(
        label=fields.text("label"),
        has_label=fields.truth("has_label", True),
        id_column=fields.text("id"),
        exclude=fields.texts("exclude"),
        kinds=fields.pairs("kinds"),
        sheet=fields.text("sheet"),
        header_row=fields.number("header_row", 0),
    )
    fields.end()
    for name, kind in found.kinds:
        if kind not in KINDS:
            raise fields.wrong(
                f"'{shortened(kind)}' is no kind that '{shortened(name)}' can have; "
                f"choose one of {', '.join(KINDS)}"
            )
    return found


def _row(fields: _Fields) -> RowName:
    found = fields.take("row", needed=True)
    row = _Fields(found, f"{fields.place}, row")
    name = RowName(
        row.text("id"),
        row.text("column"),
        row.text("content"),
        row.text("like"),
        row.number("place", 1),
    )
    row.end()
    if bool(name.id_column) == bool(name.content):
        raise row.wrong("a row has either id and column, or content")
    if name.id_column and not name.id.strip():
        raise row.wrong("'id' is empty")
    if name.content and not (len(name.content) == 16 and set(name.content) <= PRINT):
        raise row.wrong("'content' must be the 16 letters that cellval wrote")
    return name


def _replace(fields: _Fields) -> Replace:
    step = Replace(_column(fields), fields.pairs("texts", needed=True))
    if not step.texts:
        raise fields.wrong("'texts' is empty")
    return step


def _replace_cell(fields: _Fields) -> ReplaceCell:
    column, before = _column(fields), fields.text("before", needed=True)
    return ReplaceCell(_row(fields), column, before, fields.text("after", needed=True))


def _fine(fields: _Fields) -> Fine:
    column, texts = _column(fields), fields.texts("texts", needed=True)
    if not texts:
        raise fields.wrong("'texts' is empty")
    has_row = "row" in fields._left
    row = _row(fields) if has_row else fields.take("row")
    if row and len(texts) > 1:
        raise fields.wrong("a cell holds one text only")
    return Fine(column, texts, row)


def _rule(fields: _Fields) -> Rule:
    kind = fields.text("kind") or "settles"
    rule = Rule(
        fields.texts("given"),
        fields.text("target", needed=True),
        kind=kind,
        strict=fields.truth("strict", False),
        factor=fields.real("factor", 1.0),
        offset=fields.real("offset", 0.0),
        within=fields.real("within", None),
        rounded=fields.truth("rounded", False),
        refused=fields.truth("refused", False),
        repair=fields.truth("repair", False),
    )
    if why := fault(rule):
        raise fields.wrong(why)
    if rule.repair and kind != "settles":
        raise fields.wrong("'repair' is only for a rule by which columns settle one")
    length = len(rule.columns) if kind == "settles" else 1
    return replace(rule, known=fields.lines("known", length))


def _answer(fields: _Fields) -> Answer:
    key, answer = fields.text("key", needed=True), fields.text("answer", needed=True)
    if answer not in ANSWERS:
        raise fields.wrong(f"'answer' must be one of {', '.join(ANSWERS)}")
    return Answer(key, answer, fields.text("title"))


def _column(fields: _Fields) -> str:
    column = fields.text("column", needed=True)
    if not column:
        raise fields.wrong("'column' is empty")
    return column


MAKERS: Mapping[str, tuple[type, Callable[[_Fields], Any]]] = {
    "replace": (Replace, _replace),
    "replace cell": (ReplaceCell, _replace_cell),
    "drop row": (DropRow, lambda fields: DropRow(_row(fields))),
    "fine": (Fine, _fine),
    "rule": (Rule, _rule),
    "answer": (Answer, _answer),
}


def _step(fields: _Fields) -> Step:
    what = fields.text("do", needed=True)
    if what not in MAKERS:
        raise fields.wrong(
            f"'{shortened(what)}' is nothing to do; choose one of {', '.join(MAKERS)}"
        )
    why = fields.text("why")
    step: Step = MAKERS[what][1](fields)
    fields.end()
    return type(step)(**{**vars(step), "why": why})


# --- nouns to YAML --------------------------------------------------------------------


class _Quoted(str):
    """A text of the file, which is written in quotes whatever it looks like."""


def _dumper(yaml: Any) -> Any:
    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    own: Any = type("Dumper", (base,), {"ignore_aliases": lambda self, data: True})

    def quoted(dumper: Any, text: _Quoted) -> Any:
        # Only double quotes have escapes for what one cannot see.
        style = "'" if text.isprintable() else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=style)

    def short(dumper: Any, texts: tuple[Any, ...]) -> Any:
        tag = "tag:yaml.org,2002:seq"
        return dumper.represent_sequence(tag, texts, flow_style=True)

    own.add_representer(_Quoted, quoted)
    own.add_representer(tuple, short)
    return own


def _quoted(found: Any) -> Any:
    if isinstance(found, str):
        return _Quoted(found)
    return tuple(map(_quoted, found))


def _said(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What is not empty, with texts in quotes."""
    return {name: _quoted(found) for name, found in fields.items() if found}


def _reading_told(reading: Reading) -> dict[str, Any]:
    told = _said({"label": reading.label})
    told |= {} if reading.has_label else {"has_label": False}
    told |= _said({"id": reading.id_column, "exclude": reading.exclude})
    if reading.kinds:
        told["kinds"] = {_Quoted(name): kind for name, kind in reading.kinds}
    told |= _said({"sheet": reading.sheet})
    return told | ({"header_row": reading.header_row} if reading.header_row else {})


def _row_told(row: RowName) -> dict[str, Any]:
    if row.id_column:
        return {"id": _Quoted(row.id), "column": _Quoted(row.id_column)}
    told = {"content": _Quoted(row.content), **_said({"like": row.like})}
    return told | ({"place": row.place} if row.place > 1 else {})


def _told(step: Step) -> dict[str, Any]:
    told: dict[str, Any] = {
        "do": next(name for name, (kind, _) in MAKERS.items() if kind is type(step))
    }
    match step:
        case Replace(column, texts):
            told["column"] = _Quoted(column)
            told["texts"] = {_Quoted(a): _Quoted(b) for a, b in texts}
        case ReplaceCell(row, column, before, after):
            told |= {"row": _row_told(row), "column": _Quoted(column)}
            told |= {"before": _Quoted(before), "after": _Quoted(after)}
        case DropRow(row):
            told["row"] = _row_told(row)
        case Fine(column, texts, row):
            told |= {"column": _Quoted(column), "texts": _quoted(texts)}
            told |= {"row": _row_told(row)} if row else {}
        case Rule(given, target, known):
            told |= {} if step.kind == "settles" else {"kind": step.kind}
            told |= _said({"given": given}) | {"target": _Quoted(target)} | step.sense
            told |= {name: True for name in ("repair", "refused") if vars(step)[name]}
            told |= {"known": [_quoted(line) for line in known]} if known else {}
        case Answer(key, answer, title):
            told |= {"key": key, "answer": answer, **_said({"title": title})}
    return told | _said({"why": step.why})
