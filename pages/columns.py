"""Columns: what each column adds, and how its cells spread."""

from cellval.ui.columns.overview import draw
from cellval.ui.live import live
from cellval.ui.navigation import need_valued
from cellval.ui.session import get_session

session = get_session()
live(session, "columns", lambda: draw(need_valued(session)))
