"""While something runs, the browser says when a person moves the mouse.

Charts that are drawn again under the mouse lose a click now and then. So newer values
wait while somebody is about to click; see `Session.shown`.
"""

from functools import cache
from typing import Any

import streamlit as st

from cellval.ui.session import Session

# Not soon after a click: its own request goes first, and no other is merged with it.
SCRIPT = """
export default function ({ setTriggerValue }) {
  const every = 3000;
  let last = -every;
  const moved = () => {
    if (performance.now() - last < every) return;
    last = performance.now();
    setTriggerValue("moved", last);
  };
  const clicked = () => { last = performance.now(); };
  document.addEventListener("pointermove", moved, true);
  document.addEventListener("pointerdown", clicked, true);
  return () => {
    document.removeEventListener("pointermove", moved, true);
    document.removeEventListener("pointerdown", clicked, true);
  };
}
"""


@cache
def _component() -> Any:
    return st.components.v2.component("cellval_presence", js=SCRIPT)


@st.fragment
def watch(session: Session) -> None:
    _component()(key="presence", on_moved_change=session.touch)
