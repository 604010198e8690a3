"""What a part of a page has drawn reaches the browser, whatever is asked for next."""

from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

CREATE = "_create_scriptrunner"
HEAR = "_handle_scriptrunner_event_on_event_loop"
ASK = "request_rerun"
FORGET = "clear"


def deliver_all() -> None:
    """Called once by the server, before anybody comes.

    There is no public way to any of it; on a Streamlit that does without these methods
    nothing is changed.
    """
    methods = [getattr(AppSession, name, None) for name in (CREATE, HEAR, ASK)]
    forget = getattr(ForwardMsgQueue, FORGET, None)
    if None not in (*methods, forget) and not hasattr(forget, "__wrapped__"):
        _hear_to_the_end()
        _ask_for_the_page_that_comes()
        _forget_no_part()


def _hear_to_the_end() -> None:
    """Streamlit draws in a thread, whose messages wait for the server's loop. If a
    timer asks for a part of the page just when the thread has ended, there is a new
    one, and what still waits of the old one is thrown away: a click was taken, and the
    page never says so. Here the old one is heard to its end.
    """
    create, hear = getattr(AppSession, CREATE), getattr(AppSession, HEAR)
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


def _ask_for_the_page_that_comes() -> None:
    """While another page waits for its turn, the one that is left may ask for a part of
    itself, by a timer or a click. Streamlit joins both and takes the page of the later
    one: the other page never comes. Here it is a part of the page that comes.
    """
    ask, hear = getattr(AppSession, ASK), getattr(AppSession, HEAR)
    asked: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # pages that wait

    @wraps(ask)
    def ask_for_the_page_that_comes(session: Any, state: Any) -> None:
        if session._scriptrunner is None:
            asked.pop(session, None)
        if state is not None and not state.fragment_id:
            asked[session] = state.page_script_hash
        elif state is not None and asked.get(session):
            state.page_script_hash = asked[session]
        ask(session, state)

    @wraps(hear)
    def hear_what_begins(session: Any, *args: Any, **options: Any) -> None:
        hear(session, *args, **options)
        if session._client_state.page_script_hash == asked.get(session):
            del asked[session]

    setattr(AppSession, ASK, ask_for_the_page_that_comes)
    setattr(AppSession, HEAR, hear_what_begins)


def _forget_no_part() -> None:
    """When a part is drawn again, Streamlit forgets what was drawn of it and is not
    sent yet, but not what parts within it have drawn. Sent without what is around it
    that ends the whole page in the browser: nothing is left to be seen. Here all is
    sent.
    """
    forget = getattr(ForwardMsgQueue, FORGET)

    @wraps(forget)
    def forget_no_part(
        queue: Any,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        if retain_lifecycle_msgs and fragment_ids_this_run is not None:
            queue._delta_index_map = {}  # what comes now is not put among the earlier
        else:
            forget(queue, retain_lifecycle_msgs, fragment_ids_this_run)

    setattr(ForwardMsgQueue, FORGET, forget_no_part)
