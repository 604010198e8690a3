"""cellval in the browser: `streamlit run app.py`."""

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.scriptrunner import get_script_run_ctx

from cellval.ui import frame
from cellval.ui.delivery import deliver_all
from cellval.ui.headers import Guard

deliver_all()
app = st.App(__file__, middleware=[Middleware(Guard)])  # which the server looks for
if get_script_run_ctx(suppress_warning=True) is not None:  # a page is drawn
    frame.draw()
