"""The first visit: what comes, and one click that shows it on a real table."""

import streamlit as st

SAMPLE = "davis.csv"
STEPS = {
    "Look": (
        "grid_on",
        "Every cell has a colour: how much it helps a model or hurts it. Suspects, "
        "cells that hardly fit their column and row, are outlined.",
    ),
    "Decide": (
        "checklist",
        "Each suspect is a question to you, with reasons and what may have been meant. "
        "You say wrong, fine or unsure.",
    ),
    "Repair": (
        "build",
        "Take a suggestion or type your own. Models are measured before and after, and "
        "you get your file back with these cells changed.",
    ),
}


def draw() -> bool:
    """Three steps, and a button; was it clicked?"""
    columns = st.columns(len(STEPS))
    for k, (place, title) in enumerate(zip(columns, STEPS, strict=True), start=1):
        icon, words = STEPS[title]
        with place.container(border=True, height="stretch", gap="xsmall"):
            st.markdown(f"**:material/{icon}: {k}. {title}**")
            st.caption(words)
    return st.button(
        "Show me on a sample",
        key="show me",
        type="primary",
        icon=":material/play_arrow:",
        help="Opens the table of Davis, 200 people with weight and height, values its "
        "cells in a few seconds and leads you on. Nothing of yours is touched.",
    )
