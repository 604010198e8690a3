"""Clicks on what the server has just replaced, and the browser still shows."""

import re
import time
from contextlib import contextmanager

import pytest

from browser.steps import (
    LONG,
    aim_at_cell,
    button,
    click_cell,
    expect,
    no_faults,
    open_valued,
    still,
    until,
)

MARKED = """
() => [...document.querySelectorAll(".js-plotly-plot")].flatMap(plot => plot._fullData)
  .filter(trace => trace.customdata && trace.selectedpoints)
  .flatMap(trace => trace.selectedpoints.map(k => trace.customdata[k].slice(0, 2)))
"""


class Line:
    """Between browser and server; what the server says can be kept back."""

    def __init__(self, page):
        self.page, self.kept, self.keeps = page, [], False
        page.route_web_socket(re.compile("_stcore/stream"), self._connect)

    def _connect(self, browser):
        server = browser.connect_to_server()
        browser.on_message(server.send)
        server.on_message(lambda words: self._told(browser, words))

    def _told(self, browser, words):
        if self.keeps:
            self.kept.append((browser, words))
        else:
            browser.send(words)

    def wait_for(self, words):
        """Until the server has said this."""
        until = time.monotonic() + LONG / 1000
        while not any(words in told for _, told in self.kept):
            assert time.monotonic() < until
            self.page.wait_for_timeout(100)

    @contextmanager
    def kept_back(self):
        self.keeps = True
        try:
            yield
        finally:
            self.keeps = False
            for browser, words in self.kept:
                browser.send(words)
            self.kept.clear()


@pytest.fixture
def line(new_person, server):
    """Davis, valued, on the heatmap."""
    line = Line(new_person())
    open_valued(line.page, server)
    yield line
    no_faults(line.page)


def panel(page, row):
    return page.get_by_text(re.compile(f"^Row {row} ·"))


def marked(page):
    """Position and column of the cell that the heatmap marks."""
    return page.evaluate(MARKED)


def test_a_click_on_a_figure_that_was_just_replaced_opens_its_cell(line):
    page = line.page
    click_cell(page, 20, "height")
    place = aim_at_cell(page, 3, "height")
    with line.kept_back():
        button(page, "Wrong").evaluate("it => it.click()")  # an outline: a new figure
        line.wait_for(b"Heatmap of cell values")
        page.mouse.click(*place)
        page.wait_for_timeout(1000)  # so that the click comes before the new figure
    expect(panel(page, 4)).to_be_visible()
    still(page)
    assert marked(page) == [[3, 1]]


def test_a_click_is_answered_once_and_the_mark_is_on_what_is_looked_at(line):
    page = line.page
    click_cell(page, 30, "height")
    with line.kept_back():
        button(page, "Next").evaluate("it => it.click()")
        line.wait_for(b"Heatmap of cell values")
        page.wait_for_timeout(1000)
        # The browser tells again what was clicked in the figure that it still shows.
        button(page, "Fine").evaluate("it => it.click()")
        page.wait_for_timeout(1000)
    expect(panel(page, 12)).to_be_visible()
    still(page)
    assert marked(page) == [[11, 0]]
    click_cell(page, 20, "height")
    still(page)
    assert marked(page) == [[20, 1]]
    until(panel(page, 12), button(page, "Next").click)
    still(page)
    assert [row for row, _ in marked(page)] == [11]
    click_cell(page, 20, "height")
    expect(panel(page, 21)).to_be_visible()
