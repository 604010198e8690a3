"""What is around every page: style, navigation, the link to the project."""

import gc
import weakref
from contextlib import suppress
from pathlib import Path

import streamlit as st

from cellval.jobs import warm_up
from cellval.ui.login import need_login
from cellval.ui.navigation import PAGES, PageEnds, file_of, note_frame
from cellval.ui.parts import collect_seldom, forget_widgets
from cellval.ui.projects import sync_link
from cellval.ui.runs import come_back
from cellval.ui.session import Session, get_session

# A file: the browser would ask another host for a material icon.
ICON = Path(__file__).with_name("icon.png")
LOGO = """
<svg xmlns="http://www.w3.org/2000/svg" width="150" height="32" viewBox="0 0 150 32">
<g fill="#14938a"><rect x="2" y="4" width="7" height="7" rx="1.5"/>
<rect x="11" y="4" width="7" height="7" rx="1.5"/>
<rect x="20" y="4" width="7" height="7" rx="1.5"/>
<rect x="2" y="13" width="7" height="7" rx="1.5"/>
<rect x="20" y="13" width="7" height="7" rx="1.5"/>
<rect x="2" y="22" width="7" height="7" rx="1.5"/>
<rect x="11" y="22" width="7" height="7" rx="1.5"/>
<rect x="20" y="22" width="7" height="7" rx="1.5"/></g>
<rect x="11" y="13" width="7" height="7" rx="1.5" fill="#d9480f"/>
<text x="36" y="24" font-family="sans-serif" font-size="22" font-weight="600"
fill="#14938a">cellval</text></svg>
"""

# Wide pages are mostly margin otherwise, and texts of charts and keys of filled buttons
# too faint. On narrow ones controls wrap, and charts and tables have all the width.
# What Streamlit would save of a table has formulas that run; Export has files that do
# not.
STYLE = """
.stMainBlockContainer {padding: 3rem 2.5rem 3rem 2.5rem}
.stPlotlyChart :is(.xtick, .ytick, .x2tick, .y2tick, .cbaxis, .annotation) text,
.stPlotlyChart :is(.gtitle, .xtitle, .ytitle, .x2title, .y2title, .cbtitle),
.stPlotlyChart :is(.legendtext, .bartext-outside) {fill: currentColor !important}
.stPlotlyChart .modebar-btn path {fill: currentColor !important; opacity: 0.75}
.stPlotlyChart .modebar-btn:is(:hover, :focus, .active) path {opacity: 1}
[data-testid="stBaseButton-primary"] * {opacity: 1; color: inherit}
[data-testid="stElementToolbar"] button[aria-label^="Download as CSV"] {display: none}
@media (max-width: 1400px) {
  .stMainBlockContainer {padding-left: 1.5rem; padding-right: 1.5rem}
}
@media (max-width: 1100px) {
  [data-testid="stColumn"] {min-width: min(100%, 9rem)}
  [data-testid="stColumn"]:has([data-testid="stRadio"]) {min-width: min(100%, 14rem)}
  [data-testid="stColumn"]:has([data-testid="stPlotlyChart"]),
  [data-testid="stColumn"]:has([data-testid="stDataFrame"]) {min-width: 100%}
}
"""
ABOUT = "**cellval** finds the cells of a table that hurt a model."
DARK_STYLE = '[data-testid="stBaseButton-primary"] * {color: #04110f}'


def draw() -> None:
    """Everything; called for every drawing of the app."""
    st.set_page_config(
        page_title="cellval",
        page_icon=str(ICON),
        layout="wide",
        menu_items={"About": ABOUT},
    )
    warm_up.warm_up()
    session = get_session()
    need_login(session)
    sync_link(session)
    come_back(session)
    st.logo(LOGO, size="large")
    dark = st.context.theme.type == "dark"
    st.html(f"<style>{STYLE}{DARK_STYLE if dark else ''}</style>")
    pages = {
        name: st.Page(file_of(name), title=page.title, icon=f":material/{page.icon}:")
        for name, page in PAGES.items()
    }
    chosen = st.navigation(list(pages.values()))
    st.set_page_config(page_title=f"{chosen.title} · cellval")
    note_frame(session)
    with suppress(PageEnds):
        chosen.run()
    _let_go(session)


def _let_go(session: Session) -> None:
    """Called when a page was drawn: what it shows no more goes, another file's at once,
    older values now and then.
    """
    old, session.drawn_of = session.drawn_of, weakref.ref(session.file)
    values, session.drawn_values = session.drawn_values, None
    if session.held is not None:
        session.drawn_values = weakref.ref(session.held.values)
    if old is not None and old() is not session.file:
        forget_widgets()
        gc.collect()
    elif values is not None and values is not session.drawn_values:
        collect_seldom()
