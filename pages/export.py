"""Export: decisions, the whole list and the values as CSV files."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from cellval import export
from cellval.ui import state
from cellval.ui.empty import need_values
from cellval.ui.words import plain

st.title("Export")
values = need_values()
table = state.table()
assert table is not None
run = state.job()
if run is not None and run.active:
    st.info("The run is going on: files hold the values so far.")


def card(place: Any, title: str, about: str, name: str, make: Callable) -> None:
    """What a file holds, and the button that makes it only when it is asked for."""
    with place.container(border=True, height="stretch"):
        st.markdown(f"**{title}**  \n{about}")
        st.space("stretch")
        st.download_button(
            f"Download {name}",
            lambda: export.csv_bytes(make()),
            file_name=f"{Path(table.name).stem}-{name.split()[-1]}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            width="stretch",
        )


@st.fragment
def downloads() -> None:
    now, decisions = state.values() or values, state.all_decisions()
    choice = st.pills(
        "Decisions in the file of flagged cells",
        state.DECISIONS,
        selection_mode="multi",
        default=["error"],
        key="export decisions",
    )
    within = st.toggle(
        "Rank cells within their class",
        value=True,
        key="export within",
        help="A rare class has lower values as a whole; ranked within the class it "
        "does not fill the top of the list.",
    )

    def cells(only: list[str] | None = None) -> pd.DataFrame:
        return export.decisions_frame(now, decisions, only=only, within_class=within)

    flagged = cells(choice or [])
    a, b, c = st.columns(3)
    about = f"{len(flagged):,} so far, each with id, content, value and rank."
    card(a, "Flagged cells", about, "flagged cells", lambda: flagged)
    about = f"All {now.values.size:,} cells, lowest first, with your decisions."
    card(b, "Whole list", about, "the whole list", cells)
    about = "A table in the shape of your file, with values in place of the cells."
    card(c, "Values", about, "the values", partial(export.values_frame, now, table))
    if len(flagged):
        st.dataframe(flagged.head(200), hide_index=True, height="content")
    else:
        st.caption("Cells that you mark on the heatmap or in the list show here.")


downloads()
st.caption(
    f"Rows are counted as in {plain(table.name)}: from 1, the header is not counted. "
    "Values are shares of accuracy: 0.0037 is 0.37 pp. Text that a spreadsheet would "
    "run as a formula gets a leading apostrophe. Figures are saved from the menu that "
    "shows when the mouse is on them."
)
