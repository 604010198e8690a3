"""What a part of a page has drawn reaches the browser, whatever is asked for next."""

from functools import wraps
from typing import Any
from weakref import WeakSet

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

CREATE = "_create_scriptrunner"
HEAR = "_handle_scriptrunner_event_on_event_loop"


def deliver_all() -> None:
    """Called once by the server, before anybody comes.

    Streamlit draws in a thread, whose messages wait for the server's loop. If a timer
    asks for a part of the page just when the thread has ended, there is a new one, and
    what still waits of the old one is thrown away: a click was taken, and the page
    never says so. Here the old one is heard to its end. There is no public way; on a
    Streamlit that does without these methods nothing is changed.
    """
    create, hear = getattr(AppSession, CREATE, None), getattr(AppSession, HEAR, None)
    if create is None or hear is None or hasattr(hear, "__wrapped__"):
        return
    ended: WeakSet[Any] = WeakSet()  # by themselves, and followed by another

    @wraps(create)
    def create_and_note(session: Any, *args: Any, **options: Any) -> None:
        # None if there is none, or if the one that draws was told to stop
        before = session._scriptrunner
        create(session, *args, **options)
        if before is not None:
            ended.add(before)

    @wraps(hear)
    def hear_to_the_end(
        session: Any, sender: Any, event: Any, *args: Any, **options: Any
    ) -> None:
        now = session._scriptrunner
        is_late = sender in ended and event is not ScriptRunnerEvent.SHUTDOWN
        if is_late:
            session._scriptrunner = sender
        try:
            hear(session, sender, event, *args, **options)
        finally:
            if is_late:
                session._scriptrunner = now

    setattr(AppSession, CREATE, create_and_note)
    setattr(AppSession, HEAR, hear_to_the_end)
