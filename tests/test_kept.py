"""What was computed from an object is kept with it, and goes when it goes."""

import gc
import sys
import threading
import weakref
from dataclasses import dataclass, replace

from cellval.kept import kept


@dataclass(frozen=True, eq=False)
class Owner:
    name: str = ""


def counting(most):
    """A function that is kept, and what it was called with."""
    calls = []

    @kept(most)
    def function(owner, *others):
        calls.append(others)
        return [owner.name, *others]

    return function, calls


def test_the_same_question_is_answered_once():
    function, calls = counting(2)
    owner = Owner("a")
    assert function(owner, 1) is function(owner, 1)
    assert calls == [(1,)]


def test_every_owner_has_answers_of_its_own():
    function, calls = counting(1)
    a, b = Owner("a"), Owner("b")
    assert (function(a, 1), function(b, 1)) == (["a", 1], ["b", 1])
    function(a, 1)
    assert len(calls) == 2  # nobody's answers push out another's


def test_the_answers_asked_for_last_are_kept():
    function, calls = counting(2)
    owner = Owner()
    for question in (1, 2, 1, 3, 1, 2):
        function(owner, question)
    assert calls == [(1,), (2,), (3,), (2,)]  # 2 was asked for longest ago


def test_functions_do_not_push_out_each_other_s_answers():
    @kept(1)
    def one(owner):
        return object()

    @kept(1)
    def other(owner):
        return object()

    owner = Owner()
    first = one(owner)
    other(owner)
    assert one(owner) is first is not other(owner)


def test_answers_go_when_their_owner_goes():
    class Answer:
        pass

    @kept(1)
    def function(owner):
        return Answer()

    owner = Owner()
    answer = weakref.ref(function(owner))
    assert answer() is not None
    del owner
    gc.collect()
    assert answer() is None


def test_a_changed_copy_of_an_owner_starts_anew():
    function, calls = counting(1)
    owner = Owner("a")
    function(owner, 1)
    assert function(replace(owner, name="b"), 1) == ["b", 1]
    assert len(calls) == 2


def test_none_is_an_answer():
    calls = []

    @kept(1)
    def function(owner):
        calls.append(1)

    owner = Owner()
    assert function(owner) is None is function(owner)
    assert calls == [1]


def test_threads_may_ask_at_once(request):
    before = sys.getswitchinterval()
    request.addfinalizer(lambda: sys.setswitchinterval(before))
    sys.setswitchinterval(1e-6)
    function, _ = counting(2)
    owner, faults = Owner("a"), []

    def ask():
        try:
            for k in range(20_000):
                assert function(owner, k % 5) == ["a", k % 5]
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_a_function_keeps_its_name_and_words():
    @kept(1)
    def square(owner):
        """Of the owner."""

    assert (square.__name__, square.__doc__) == ("square", "Of the owner.")
