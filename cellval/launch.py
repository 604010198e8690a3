"""The app, started from Python: a server in a process of its own, and a link to it.

`start` is all that knows how the app is run; `show` keeps what a person has in their
hands as a project, and starts the app on it.
"""

import atexit
import html
import http.client
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pandas as pd

from cellval.app_files import command
from cellval.errors import InputError
from cellval.methods import MODELS
from cellval.project.project import Project
from cellval.project.shelf import Shelf
from cellval.project.source import Setup, Source
from cellval.repairs.repair import table_csv
from cellval.table.table import Table, as_table
from cellval.values.options import SCORINGS, RunOptions
from cellval.values.result import CellValues, describe
from cellval.values.settings import Settings
from cellval.views.value_view import value_view

HOST = "localhost"  # what is shown is for this computer alone
PATIENCE = 120.0  # seconds for the server to answer
GOODBYE = 10.0  # and to end
LABEL, ID = "label", "id"  # columns of values that do not know their names


class App:
    """A server that shows the app: a link in a notebook, until it is stopped.

    Attributes
    ----------
    url : str
        Where it is, with the key to the project that it shows.
    """

    def __init__(self, url: str, server: "subprocess.Popen[bytes]") -> None:
        self.url, self._server = url, server

    @property
    def is_running(self) -> bool:
        return self._server.poll() is None

    def stop(self) -> None:
        """End the server; what a person did in the app is on disk."""
        self._server.terminate()
        try:
            self._server.wait(GOODBYE)
        except subprocess.TimeoutExpired:  # a browser holds on to it
            self._server.kill()
            self._server.wait()

    def wait(self) -> None:
        """Say where it is until it ends by itself, or by Ctrl-C, which stops it."""
        try:
            print(f"cellval is at {self.url} (Ctrl-C ends it)", flush=True)
            self._server.wait()
        except KeyboardInterrupt:
            self.stop()

    def at(self, link: str) -> "App":
        """The same server, at another project."""
        base = self.url.partition("?")[0]
        return App(f"{base}?project={link}" if link else base, self._server)

    def __repr__(self) -> str:
        state = "" if self.is_running else " (stopped)"
        return f"<cellval at {self.url}{state}>"

    def _repr_html_(self) -> str:
        if not self.is_running:
            return "<p>cellval was stopped.</p>"
        url = html.escape(self.url)
        return (
            f'<p><a href="{url}" target="_blank" rel="noopener">Open cellval</a> '
            "(on this computer; <code>.stop()</code> ends it)</p>"
        )


_started: App | None = None  # by this process; one server shows all projects


def start(port: int | None = None, *, browser: bool = False, at: str = "") -> App:
    """Start the app, or take the one that this process started before.

    Parameters
    ----------
    port : int, optional
        Where it listens; if not given, at any that is free.
    browser : bool
        Open a browser on it.
    at : str
        Link of a project (`Project.link`) to show.
    """
    global _started
    if _started is None or not _started.is_running or port not in (None, _port()):
        _started = _new(_free_port(port or 0))
    app = _started.at(at)
    if browser:
        webbrowser.open(app.url)
    return app


def _port() -> int:
    assert _started is not None
    return int(_started.url.rpartition(":")[2].strip("/"))


def _new(port: int) -> App:
    words = [*command(port), "--server.address", HOST]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
        app = App(f"http://{HOST}:{port}/", server)
        end = time.monotonic() + PATIENCE
        while not _answers(port):
            if app.is_running and time.monotonic() < end:
                time.sleep(0.05)
                continue
            app.stop()
            log.seek(0)
            said = log.read()[-1000:].decode("utf-8", "replace").strip()
            raise InputError(f"The app did not start at port {port}. It said: {said}")
    atexit.register(app.stop)
    return app


def _answers(port: int) -> bool:
    """Is the server ready? Proxies, which a notebook may have, are not asked."""
    with closing(http.client.HTTPConnection(HOST, port, timeout=2)) as connection:
        try:
            connection.request("GET", "/_stcore/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False


def _free_port(wanted: int) -> int:
    """The wanted port, or with 0 any that nobody listens at."""
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # just given up
        try:
            free.bind((HOST, wanted))
        except (OSError, OverflowError) as error:
            raise InputError(
                f"Port {wanted} cannot be used, perhaps because another cellval has "
                "it. Choose another port, or leave it out."
            ) from error
        return int(free.getsockname()[1])


# --- what it shows --------------------------------------------------------------------


def show(
    values: CellValues | Table | pd.DataFrame | Project,
    *,
    table: Table | pd.DataFrame | None = None,
    port: int | None = None,
    browser: bool | None = None,
) -> App:
    """Open the app on values, on a table, or on a project.

    Values and tables are kept as a project in the data folder (``CELLVAL_HOME``), of
    which a CSV file with the table's cells is part: what is decided in the app is there
    afterwards, under the name of the table (`cellval.open_project`). To repair the file
    itself byte for byte, show a project that was made of it.

    Parameters
    ----------
    values : CellValues, Table, DataFrame or Project
    table : Table or DataFrame, optional
        Of the values. Without it the app knows the columns that have values and the
        label, and finds out once more what each is.
    port : int, optional
        Where the app listens; if not given, at any port that is free.
    browser : bool, optional
        Open a browser; if not given, unless there is a notebook, which shows a link.

    Returns
    -------
    App
        A link in a notebook; ``.url``, and ``.stop()`` to end it. It ends with Python.
        A script waits here until it is ended (Ctrl-C), unless `browser` is False.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> app = cellval.show(cellval.value_cells(table), table=table)  # doctest: +SKIP
    >>> app.stop()  # doctest: +SKIP
    """
    if isinstance(values, Project):
        link = values.link("edit")
    else:
        with closing(project_of(values, table)) as project:
            link = project.link("edit")
    in_notebook = _in_notebook()
    app = start(port, browser=not in_notebook if browser is None else browser, at=link)
    if not in_notebook and not hasattr(sys, "ps1") and browser is not False:
        app.wait()
    return app


def project_of(values: Any, table: Table | pd.DataFrame | None = None) -> Project:
    """The project of a table and its values; made, or found by its name and content."""
    if not isinstance(values, CellValues):
        table, values = as_table(values), None
    elif table is None:
        table = _bare(values)
    else:
        table = as_table(table)
        if values.settings.table != table.fingerprint:
            raise InputError(
                f"These values are of another table than {table.name}. Give the Table "
                "that was valued."
            )
    setup, source = _kept(table)
    project = _project(source, setup)
    if values is not None:
        _add_run(project, setup.read(source), values)
    return project


def _bare(values: CellValues) -> Table:
    """The table of values, as far as they know it."""
    cells = values.cells.copy()
    label, own = _new_name(LABEL, cells), None
    has_label = values.settings.is_valued
    if value_view(values).has_ids:
        own = _new_name(ID, cells)
        cells.insert(0, own, values.ids)
    if has_label:
        cells[label] = values.labels
    how: dict[str, Any] = {"label": label if has_label else None, "id_column": own}
    table = Table.from_frame(cells, name="values", **how)
    if table.feature_names != values.column_names:
        raise InputError(
            "What the columns of these values are cannot be told from their cells. "
            "Give the table, too: cellval.show(values, table=table)."
        )
    return table


def _new_name(name: str, cells: pd.DataFrame) -> str:
    while name in cells:
        name = f"{name}_"
    return name


def _kept(table: Table) -> tuple[Setup, Source]:
    """A CSV file of a table, and how it is read to give that table again."""
    unused = [c.name for c in table.columns if not c.feature]
    kinds = {column.name: column.kind for column in table.features}
    if table.label:
        kinds[table.label] = table.label_kind
    setup = Setup(
        label=table.label or None,
        id_column=table.id_column,
        exclude=tuple(name for name in unused if name != table.id_column),
        kinds=tuple(kinds.items()),
        has_label=bool(table.label),
    )
    # Where numbers have decimal commas and days come first, fields end so.
    raw = table_csv(table, {}, ";" if table.day_first else ",")
    return setup, Source.of(f"{Path(table.name).stem or 'table'}.csv", raw)


def _project(source: Source, setup: Setup) -> Project:
    """The latest of the same name, file and way to read it, or a new one."""
    shelf, name = Shelf(), Path(source.name).stem
    for entry in shelf.entries():
        if entry.name == name and not entry.owner:
            project = shelf.open(entry.id)
            if project.setup == setup and project.source.sha256 == source.sha256:
                return project
            project.close()
    return shelf.create_kept(source, setup, name=name)


def _add_run(project: Project, table: Table, values: CellValues) -> None:
    """Values as a run that is over; not again where they are those of the latest."""
    settings = replace(values.settings, table=table.fingerprint)
    own = replace(values, settings=settings, **describe(table))
    known = project.values
    if known is None or known.settings != settings or known.n_test != values.n_test:
        run = project.begin_run(_options(settings, table.labelled.n_rows))
        project.note_run(replace(run, status="done", done=1.0, seen=own.tested), own)
    if project.trouble:
        raise InputError(project.trouble)


def _options(settings: Settings, n_rows: int) -> RunOptions:
    """What would be asked for to get such values.

    A test table, a function and a model of one's own are not in settings, and of a
    hold-out only how many of the rows it has.
    """
    if not settings.is_valued:
        return RunOptions()
    said: dict[str, Any] = {}
    for option in fields(RunOptions):
        value = getattr(settings, option.name, None)
        if value is not None and settings.method in option.metadata["of"]:
            said[option.name] = value
    said.pop("test", None)
    if settings.test == "hold-out":
        said["test"] = round(settings.test_rows / n_rows, 2)
    if settings.scoring not in SCORINGS:
        said.pop("scoring", None)
    if settings.model not in MODELS:
        said.pop("model", None)
    return RunOptions(**said)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None
