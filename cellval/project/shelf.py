"""All projects of a data folder: list, make, find, copy, delete."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cellval.errors import InputError, is_whole, require
from cellval.project.archive import pack, unpack
from cellval.project.database import Damaged
from cellval.project.files import (
    DAMAGED,
    ID,
    remove,
    set_aside,
    size_of,
    tidy_all,
    turn,
    why_not,
)
from cellval.project.home import home
from cellval.project.project import NAMELESS, Project, damage_told, readable
from cellval.project.run import Run
from cellval.project.source import Setup, Source
from cellval.repairs.work import Work
from cellval.table.decoding import bytes_of
from cellval.table.labels import GUESS, Guess
from cellval.table.table import ReadOptions
from cellval.text import joined, listed


@dataclass(frozen=True)
class Entry:
    """A project as a list shows it."""

    id: str
    name: str
    file: str  # its name
    created: float
    changed: float  # seconds since 1970
    owner: str
    n_decisions: int
    n_repairs: int
    runs: tuple[Run, ...]
    size: int  # bytes


class Shelf:
    """The projects in a data folder; damaged ones are set aside and named."""

    def __init__(self, folder: str | Path | None = None) -> None:
        require("folder", folder, folder is None or _is_path(folder), "a path")
        self._folder = folder
        self._known: dict[str, tuple[Any, Entry]] = {}  # and when they were written
        self.aside: list[str] = []  # a sentence for each damaged project
        self.unread: list[str] = []  # for each that is not in the list, when last made

    @cached_property
    def folder(self) -> Path:
        """Where projects are; it need not be there yet."""
        base = home() if self._folder is None else Path(self._folder).absolute()
        return base / "projects"

    def why_not(self) -> str:
        """Why projects cannot be kept here; nothing if they can."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder) as probe:
                probe.write(b"x")
        except InputError as error:
            return str(error)
        except OSError as error:
            return why_not(error)
        return ""

    def entries(self, owner: str | None = None) -> list[Entry]:
        """The latest first; those of one owner, or all."""
        found, self.unread = [], []
        for project_id in self._ids():
            try:
                entry = self._entry(project_id)
                if owner is None or entry.owner == owner:
                    found.append(entry)
            except Damaged as fault:
                self._set_aside(project_id, fault)
            except FileNotFoundError:
                continue  # deleted meanwhile
            except InputError as error:
                self.unread.append(str(error))
            except (sqlite3.Error, OSError) as error:
                words = f"The project in {project_id} is not listed. {why_not(error)}"
                self.unread.append(words)
        return sorted(found, key=lambda entry: -entry.changed)

    def _entry(self, project_id: str) -> Entry:
        """Read again only if something was written."""
        place = self.folder / project_id
        stamp = _stamp(place)
        known = self._known.get(project_id)
        if known is not None and known[0] == stamp:
            return known[1]
        with closing(Project.open(self.folder, project_id)) as project:
            entry = _entry(project)
        self._known[project_id] = stamp, entry
        return entry

    def create(self, source: Source, setup: Setup | None = None, **how: Any) -> Project:
        """A new project; in memory only where it cannot be kept, and it says why."""
        try:
            return self.create_kept(source, setup, **how)
        except InputError as error:
            project = Project.create(None, source, setup, **how)
            project.trouble = str(error)
            return project

    def create_kept(
        self, source: Source, setup: Setup | None = None, **how: Any
    ) -> Project:
        """A new project on disk; InputError if it cannot be kept."""
        if trouble := self.why_not():
            raise InputError(trouble)
        try:
            return Project.create(self.folder, source, setup, **how)
        except (sqlite3.Error, OSError, Damaged) as error:
            raise InputError(why_not(error)) from error

    def keep(self, project: Project) -> None:
        """Write what could not be written: also all of a project that could only be
        made in memory. If it cannot be yet, the project says why.
        """
        if project.folder is None:
            project.trouble = self.why_not()
            if project.trouble:
                return
            try:
                project.take_place(self.folder)
            except (sqlite3.Error, OSError, Damaged) as error:
                project.trouble = why_not(error)
                return
        project.try_again()

    def open(self, project_id: str, work: Work | None = None) -> Project:
        """The project with an id; InputError if it is not there or damaged."""
        try:
            return Project.open(self.folder, project_id, work)
        except Damaged as fault:
            raise InputError(self._set_aside(project_id, fault)) from fault
        except (sqlite3.Error, OSError) as error:
            raise InputError(why_not(error)) from error

    def by_link(self, link: str) -> tuple[Project, str]:
        """The project of a link, and what that allows: "view" or "edit"."""
        unknown = "There is no project behind this link. It may have been deleted."
        if not ID.fullmatch(link[:16]):
            raise InputError(unknown)
        if not (self.folder / link[:16]).is_dir():
            for aside in self.folder.glob(f"{link[:16]}{DAMAGED}*"):
                raise InputError(
                    "The project behind this link was damaged. It was set aside as "
                    f"{aside.name} in the data folder."
                )
            raise InputError(unknown)
        project = self.open(link[:16])
        if not (may := project.allows(link)):
            project.close()
            raise InputError(unknown)
        return project, may

    def named(self, name: str) -> Project | None:
        """The latest project of this name, or with this id."""
        shown = readable(name)
        for entry in self.entries():
            if shown in (entry.name, entry.id):
                return self.open(entry.id)
        return None

    def of_file(self, source: Source) -> Project:
        """The latest project on just this file, or a new one; InputError if it cannot
        be read or kept.
        """
        with self.alone():
            for entry in self.entries(owner=""):
                if entry.file == source.name:
                    project = self.open(entry.id)
                    if project.source.sha256 == source.sha256:
                        return project
                    project.close()
            setup, _ = Setup().found(source)
            return self.create_kept(source, setup)

    def alone(self) -> AbstractContextManager[None]:
        """For who makes a project where there is none: no other program does so now."""
        return turn(self.folder / ".lock")

    def packed(self, project_id: str) -> bytes:
        """All of a project as one file; InputError if it cannot be read."""
        with closing(self.open(project_id)) as project:
            return self._packed(project)

    def _packed(self, project: Project) -> bytes:
        try:
            return pack(project)
        except (sqlite3.Error, OSError) as error:
            raise InputError(why_not(error)) from error

    def copy(self, project_id: str, name: str = "") -> Project:
        """Another project with the same content, and links of its own."""
        with closing(self.open(project_id)) as old:
            packed, called = self._packed(old), name or f"{old.name} (copy)"
            owner = old.owner
        return self.bring_in(packed, name=called, owner=owner)

    def bring_in(self, packed: bytes, *, owner: str = "", name: str = "") -> Project:
        """A project from what `pack` made; InputError if it is something else."""
        if trouble := self.why_not():
            raise InputError(trouble)
        try:
            made = unpack(packed, self.folder, name=name, owner=owner)
        except (sqlite3.Error, OSError) as error:
            raise InputError(why_not(error)) from error
        try:
            return self.open(made)
        except BaseException:
            self.delete(made)
            raise

    def delete(self, project_id: str) -> None:
        """With all its files."""
        if not ID.fullmatch(project_id):
            raise InputError("There is no such project.")
        try:
            remove(self.folder / project_id)
        except FileNotFoundError:
            return
        except OSError as error:
            raise InputError(why_not(error)) from error

    def _ids(self) -> Iterator[str]:
        try:
            names = sorted(path.name for path in self.folder.iterdir())
        except (OSError, InputError):
            return
        tidy_all(self.folder)
        yield from filter(ID.fullmatch, names)

    def _set_aside(self, project_id: str, fault: Damaged) -> str:
        try:
            aside = set_aside(self.folder / project_id)
        except OSError as error:
            return why_not(error)
        words = (
            f"A project is damaged ({fault}). It was set aside as {aside.name} in the "
            "data folder; the others are not touched."
        )
        self.aside.append(words)
        return words


def _is_path(folder: Any) -> bool:
    """Whether a folder may be there, by its name."""
    try:
        return b"\0" not in os.fsencode(folder)
    except (TypeError, UnicodeEncodeError):
        return False


def _stamp(place: Path) -> list[tuple[str, int]]:
    """FileNotFoundError if it is gone; files of its database come and go."""
    found = []
    for path in sorted(place.iterdir()):
        with suppress(FileNotFoundError):
            found.append((path.name, path.stat().st_mtime_ns))
    return found


def _entry(project: Project) -> Entry:
    assert project.folder is not None
    about, work = project._about, project.work
    files = dict(project._all("SELECT sha256, name FROM files"))
    return Entry(
        project.id,
        project.name,
        str(files.get(about("file", ""), "")),
        project.created,
        project.changed,
        project.owner,
        len(work.decisions),
        len(work.repairs),
        tuple(project.runs),
        size_of(project.folder),
    )


# --- doors of the library -------------------------------------------------------------


def projects(*, folder: str | Path | None = None) -> list[Entry]:
    """Projects of the data folder, the latest first.

    Parameters
    ----------
    folder : path, optional
        Another data folder than the usual one (``CELLVAL_HOME``).

    Examples
    --------
    >>> import cellval, tempfile
    >>> cellval.projects(folder=tempfile.mkdtemp())
    []
    """
    return Shelf(folder).entries()


def open_project(
    name: str,
    source: Any = None,
    *,
    folder: str | Path | None = None,
    label: str | Guess | None = GUESS,
    id_column: str | None = None,
    exclude: tuple[str, ...] = (),
    kinds: dict[str, str] | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
) -> Project:
    """Open a project by its name; with a source it is made where there is none.

    Parameters
    ----------
    name : str
        Its name or id.
    source : path, bytes, or binary buffer, optional
        The file of a new project. An old one must be about the same file.
    folder : path, optional
        Another data folder than the usual one (``CELLVAL_HOME``).
    label, id_column, exclude, kinds, sheet, header_row
        How the file is read; see `cellval.read`.

    Examples
    --------
    >>> import cellval, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> file = "sample_data/davis.csv"
    >>> project = cellval.open_project("heights", file, folder=folder, label="sex")
    >>> values = project.value(n_neighbors=5)
    >>> project.work.decide(12, "weight", "error")
    >>> again = cellval.open_project("heights", folder=folder)
    >>> again.work.decisions, again.values.total == values.total
    ({(12, 'weight'): 'error'}, True)
    """
    if not isinstance(name, str) or not readable(name):
        raise InputError(NAMELESS)
    is_row = header_row is None or is_whole(header_row, 1)
    require("header_row", header_row, is_row, "None, or 1 or more")
    asked = ReadOptions.of(label, id_column, exclude, kinds, None)
    setup = Setup(
        asked.label if isinstance(asked.label, str) else None,
        asked.id_column,
        asked.exclude,
        tuple(asked.kinds.items()),
        None if sheet is None else str(sheet),
        None if header_row is None else int(header_row),
        has_label=asked.label is not None,
    )
    file = None
    if source is not None:
        raw, called = bytes_of(source)
        file = Source.of(called, raw)
    shelf = Shelf(folder)
    with shelf.alone():
        return _opened(shelf, name, file, setup)


def _source_of(project: Project) -> Source:
    """Its file; if that is damaged InputError, and it is closed."""
    try:
        with damage_told():
            return project.source
    except BaseException:
        project.close()
        raise


def _opened(shelf: Shelf, name: str, file: Source | None, setup: Setup) -> Project:
    """The project of this name, if it is about the file and read so; or a new one."""
    project = shelf.named(name)
    said = [*shelf.aside, *shelf.unread]  # one of them may be the one that is meant
    if project is None:
        if file is None:
            known = [entry.name for entry in shelf.entries()]
            there = f"There are {listed(known, 10)}." if known else "There is none yet."
            told = [f"There is no project '{name}'.", there, *said]
            raise InputError(" ".join(told))
        if shelf.aside:
            raise InputError(
                f"{' '.join(said)} There is no other project '{name}'. Do this once "
                "more for a new one."
            )
        setup.read(file)  # or InputError, before anything is kept
        project = shelf.create_kept(file, setup, name=name)
    elif file is not None and file.sha256 != (held := _source_of(project)).sha256:
        other = held.name
        project.close()
        raise InputError(
            f"The project '{name}' is about another file ({other}). Choose another "
            "name for a new project."
        )
    elif other_way := [
        option
        for option, asked in setup.told.items()
        if project.setup.told.get(option) != asked
    ]:
        project.close()
        raise InputError(
            f"The project '{name}' reads its file otherwise ({joined(other_way, 5)}). "
            "Leave that out, change it on the Data page of the app, or choose another "
            "name for a new project."
        )
    project.aside += said
    return project
