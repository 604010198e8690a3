"""cellval in the browser: `streamlit run app.py`."""

import time

import streamlit as st

from cellval.jobs import warm_up
from cellval.ui import session as state
from cellval.ui import sidebar

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

# Wide pages are mostly margin otherwise.
MARGINS = "<style>.stMainBlockContainer {padding: 3rem 2.5rem 3rem 2.5rem}</style>"

st.set_page_config(
    page_title="cellval",
    page_icon=":material/grid_on:",
    layout="wide",
    menu_items={"About": "**cellval** finds the cells of a table that hurt a model."},
)
warm_up.warm_up()
state.sync_link()
st.logo(LOGO, size="large")
st.html(MARGINS)
pages = {
    "data": st.Page(state.PAGES["data"], title="Data", icon=":material/upload_file:"),
    "heatmap": st.Page(
        state.PAGES["heatmap"], title="Heatmap", icon=":material/grid_on:"
    ),
    "inspect": st.Page(
        state.PAGES["inspect"], title="Inspection list", icon=":material/checklist:"
    ),
    "sample": st.Page(
        state.PAGES["sample"],
        title="Explain a sample",
        icon=":material/waterfall_chart:",
    ),
    "columns": st.Page(
        state.PAGES["columns"], title="Columns", icon=":material/bar_chart:"
    ),
    "sources": st.Page(
        state.PAGES["sources"], title="Sources", icon=":material/groups:"
    ),
    "validate": st.Page(
        state.PAGES["validate"], title="Validate", icon=":material/science:"
    ),
    "repair": st.Page(state.PAGES["repair"], title="Repair", icon=":material/build:"),
    "export": st.Page(
        state.PAGES["export"], title="Export", icon=":material/download:"
    ),
}
page = st.navigation(list(pages.values()))
if wanted := state.note_frame():
    st.switch_page(wanted, query_params=st.query_params.to_dict())
began = time.monotonic()
state.note_draw(0.0)  # or the sidebar would ask for a rerun before the page is drawn
still = ("data", "sources", "validate", "export")  # without values of the run
sidebar.draw(live=page not in [pages[name] for name in still])
try:
    page.run()
finally:  # pages may end early with st.stop
    state.note_draw(time.monotonic() - began)
