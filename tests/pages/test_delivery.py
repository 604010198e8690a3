"""No click is lost, nor its answer, if something else is asked for just then."""

import asyncio
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import unwrap
from types import SimpleNamespace

import pytest
from cases import ROOT
from helpers import run
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils.run_descriptor import RunDescriptor
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests

from cellval.ui.delivery import ASK, CREATE, FORGET, HEAR, deliver_all

METHODS = [(AppSession, name) for name in (CREATE, HEAR, ASK)]
METHODS.append((ForwardMsgQueue, FORGET))
ORIGINAL = {name: unwrap(getattr(kind, name)) for kind, name in METHODS}


class Drawing:
    """Instead of Streamlit's: has drawn at once, and takes no more requests."""

    n = 0

    def __init__(self, **_given):
        self.on_event = SimpleNamespace(connect=self.connect)
        Drawing.n += 1
        self.place, self.text = [0, Drawing.n], f"drawing {Drawing.n}"

    def connect(self, hear):
        self.hear = hear

    def start(self):
        said = ForwardMsg()
        said.metadata.delta_path[:] = self.place
        said.delta.new_element.markdown.body = self.text
        self.hear(self, event=ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=said)
        self.hear(self, event=ScriptRunnerEvent.SHUTDOWN)

    def request_rerun(self, _data):
        return False


@pytest.fixture
def streamlit_s_own(monkeypatch):
    for kind, name in METHODS:
        monkeypatch.setattr(kind, name, ORIGINAL[name])
    monkeypatch.setattr(AppSession, "register_file_watchers", lambda _: None)
    monkeypatch.setattr(app_session, "ScriptRunner", Drawing)
    monkeypatch.setattr(Drawing, "n", 0)


@contextmanager
def opened() -> Iterator[AppSession]:
    app = ScriptData(str(ROOT / "app.py"), is_hello=False)
    session = AppSession(app, None, ScriptCache(), None, {})
    session.has_fragment = lambda _: True
    yield session
    session._script_event_loop.close()
    session._state = AppSessionState.SHUTDOWN_REQUESTED  # nothing else to give back


def delivered(*fragments: str) -> list[str]:
    """What reaches the browser of a page and of parts that are asked for at once."""

    async def ask() -> list[ForwardMsg]:
        with opened() as session:
            session.request_rerun(None)
            for name in fragments:
                session.request_rerun(ClientState(fragment_id=name))
            await asyncio.sleep(0.01)
            assert session._scriptrunner is None  # the last has ended, too
            return session.flush_browser_queue()

    found = run(ask())
    return [one.delta.new_element.markdown.body for one in found]


@pytest.mark.usefixtures("streamlit_s_own")
def test_streamlit_forgets_what_still_waits_of_an_older_drawing():
    """As long as it does, what `cellval.ui.delivery` mends is needed."""
    assert delivered("side") == ["drawing 2"]


@pytest.mark.usefixtures("streamlit_s_own")
def test_all_drawings_are_delivered_in_their_order():
    deliver_all()
    deliver_all()  # as for each drawing of the app
    assert delivered() == ["drawing 1"]
    Drawing.n = 0
    assert delivered("side", "page") == ["drawing 1", "drawing 2", "drawing 3"]


@pytest.mark.usefixtures("streamlit_s_own")
def test_a_click_is_done_though_another_page_is_asked_for_behind_it(monkeypatch):
    """Both wait while something is drawn."""
    waiting = ScriptRequests()
    monkeypatch.setattr(waiting, "request_stop", pytest.fail)

    async def ask() -> None:
        click = WidgetStates(widgets=[WidgetState(id="Wrong", trigger_value=True)])
        with opened() as session:
            session._scriptrunner = waiting
            session.request_rerun(ClientState(fragment_id="page", widget_states=click))
            session.request_rerun(ClientState(page_script_hash="another"))

    run(ask())
    done = waiting.on_scriptrunner_ready().rerun_data
    assert done.page_script_hash == "another" and not done.fragment_id_queue
    assert [(one.id, one.trigger_value) for one in done.widget_states.widgets] == [
        ("Wrong", True)
    ]


@pytest.mark.usefixtures("streamlit_s_own")
def test_the_server_begins_with_it():
    runpy.run_path(str(ROOT / "app.py"))
    assert all(hasattr(getattr(kind, name), "__wrapped__") for kind, name in METHODS)


@pytest.mark.usefixtures("streamlit_s_own")
def test_a_streamlit_without_these_methods_is_left_alone(monkeypatch):
    monkeypatch.delattr(AppSession, HEAR)
    deliver_all()
    left = [pair for pair in METHODS if pair[1] != HEAR]
    assert all(getattr(kind, name) is ORIGINAL[name] for kind, name in left)


def paged(session, asked, part=""):
    session.request_rerun(ClientState(page_script_hash=asked, fragment_id=part))


@pytest.mark.usefixtures("streamlit_s_own")
@pytest.mark.parametrize("mended", [False, True])
def test_a_page_that_is_asked_for_comes_though_the_one_before_has_timers(mended):
    """As long as it does not, what `cellval.ui.delivery` mends is needed."""
    if mended:
        deliver_all()

    async def ask() -> None:
        with opened() as session:
            session._scriptrunner = waiting
            paged(session, "left")
            waiting.on_scriptrunner_ready()
            began(session, "left")
            paged(session, "wanted")
            paged(session, "left", "side")

    waiting = ScriptRequests()
    run(ask())
    done = waiting.on_scriptrunner_ready().rerun_data
    assert done.page_script_hash == ("wanted" if mended else "left")


def began(session, page):
    hear = getattr(session, HEAR)
    how = {"page_script_hash": page, "run_descriptor": RunDescriptor.create(None)}
    hear(session._scriptrunner, ScriptRunnerEvent.SCRIPT_STARTED, **how)


@pytest.mark.usefixtures("streamlit_s_own")
def test_a_part_is_of_the_page_that_is_there(monkeypatch):
    """Also where a page has led to another one by itself, or one never came."""
    deliver_all()
    asked = []
    monkeypatch.setattr(
        ScriptRequests, "request_rerun", lambda _, one: asked.append(one) or True
    )

    async def ask() -> None:
        with opened() as session:
            session._scriptrunner = ScriptRequests()
            paged(session, "first")
            began(session, "first")
            began(session, "second")
            paged(session, "second", "side")
            paged(session, "never")
            session._scriptrunner = None
            monkeypatch.setattr(session, CREATE, asked.append)
            paged(session, "second", "side")

    run(ask())
    pages = [one.page_script_hash for one in asked]
    assert pages == ["first", "second", "never", "second"]


@pytest.mark.parametrize("mended", [False, True])
@pytest.mark.usefixtures("streamlit_s_own")
def test_no_part_is_sent_without_what_is_around_it(mended):
    """A browser shows nothing at all any more then. Unmended, Streamlit does so."""
    if mended:
        deliver_all()
    queue = ForwardMsgQueue()
    for path, part in (([0, 0], "page"), ([0, 0, 0], "page"), ([0, 0, 0, 0], "list")):
        said = ForwardMsg()
        said.metadata.delta_path[:] = path
        said.delta.fragment_id = part
        said.delta.add_block.vertical.SetInParent()
        queue.enqueue(said)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["page"])
    queue.enqueue(said)  # not put in the place of the one before
    paths = [tuple(one.metadata.delta_path) for one in queue.flush()]
    assert ((0, 0, 0) in paths) == mended
    assert paths[-1] == (0, 0, 0, 0) and len(paths) == (4 if mended else 2)
    queue.enqueue(said)
    queue.clear()
    assert queue.is_empty()
