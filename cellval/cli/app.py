"""The command `app`: the app in the browser, with a file opened at once."""

import argparse
import os
import socket
import subprocess
import sys
import time
import webbrowser
from contextlib import closing

from cellval.app_files import command
from cellval.cli import signals
from cellval.errors import InputError
from cellval.launch import App
from cellval.project.archive import ENDING
from cellval.project.shelf import Shelf
from cellval.project.source import Source
from cellval.table.decoding import bytes_of

FIRST_PORT, N_PORTS = 8501, 100
EVERYWHERE = ("", "0.0.0.0", "::")  # addresses at which all networks are listened to


def app(options: argparse.Namespace) -> int:
    """Until it ends by itself, or by Ctrl-C."""
    host = os.environ.get("STREAMLIT_SERVER_ADDRESS", "")
    host = "localhost" if host in EVERYWHERE else host
    port = free_port(host, options.port)
    url = f"http://{host}:{port}/"
    if options.csv is not None:
        url += f"?project={link_to(options.csv)}"
    server = subprocess.Popen(command(port))
    try:
        while not _answers(host, port):
            if server.poll() is not None:
                return server.returncode
            time.sleep(0.05)
        print(f"cellval is at {url} (Ctrl-C ends it)", flush=True)
        if options.browser and _has_screen():
            webbrowser.open(url)
        return server.wait()
    except KeyboardInterrupt:
        return 0  # what a person did is on disk
    finally:
        signals.hold()
        App(url, server).stop()


def link_to(file: str) -> str:
    """The link to edit a file's project, which is made where there is none."""
    raw, name = bytes_of(file)
    shelf = Shelf()
    if name.casefold().endswith(ENDING):
        project = shelf.bring_in(raw)
    else:
        project = shelf.of_file(Source.of(name, raw))
    with closing(project):
        return project.link("edit")


def free_port(host: str, wanted: int | None) -> int:
    """The port that is wanted; else the first that nobody listens at."""
    ports = [wanted] if wanted else range(FIRST_PORT, FIRST_PORT + N_PORTS)
    for port in ports:
        if not _answers(host, port):
            return port
    if wanted:
        raise InputError(
            f"Port {wanted} is taken, perhaps by a cellval that runs already. Choose "
            "another --port, or leave it out."
        )
    raise InputError("No port is free. Choose one with --port.")


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _has_screen() -> bool:
    """Else a browser in the terminal would open, and wait."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
