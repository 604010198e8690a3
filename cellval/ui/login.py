"""Login by OpenID, where whoever runs the server has set it up (see docs/deploy.md)."""

import streamlit as st

from cellval.ui.session import Session
from cellval.ui.text import plain


def need_login(session: Session) -> None:
    """Called by app.py: where a login is set up, nobody sees anything before it."""
    if "is_logged_in" not in st.user:
        return
    if not st.user.is_logged_in:
        st.title("cellval")
        st.markdown("Log in to see your projects, or to open new ones.")
        st.button("Log in", type="primary", icon=":material/login:", on_click=st.login)
        st.stop()
    session.who = user()  # turns in the queue are a person's, not a browser's


def show() -> None:
    """Who is logged in, and the way out."""
    if not user():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        name = st.user.get("name") or st.user.get("email") or "Logged in"
        st.caption(f":material/person: {plain(str(name))}")
        st.button("Log out", type="tertiary", on_click=st.logout)


def user() -> str:
    """Who is logged in; empty if nobody is, or if there is no login."""
    if not st.user.get("is_logged_in", False):
        return ""
    # A name that the provider gives to one person, and never again to another.
    return f"user:{st.user.get('iss', '')} {st.user.get('sub', '')}"
