"""Clicks on what the server has just replaced, and the browser still shows."""

import re
import time

from browser.steps import (
    LONG,
    aim_at_cell,
    button,
    click_cell,
    expect,
    no_faults,
    open_valued,
)


class Line:
    """Between browser and server; what the server says can be kept back."""

    def __init__(self, page):
        self.kept, self.keeps = [], False
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

    def wait_for(self, page, words):
        """Until the server has said this."""
        until = time.monotonic() + LONG / 1000
        while not any(words in told for _, told in self.kept):
            assert time.monotonic() < until
            page.wait_for_timeout(100)

    def goes_on(self):
        self.keeps = False
        for browser, words in self.kept:
            browser.send(words)


def test_a_click_on_a_figure_that_was_just_replaced_opens_its_cell(page, server):
    line = Line(page)
    open_valued(page, server)
    click_cell(page, 20, "height")
    place = aim_at_cell(page, 3, "height")
    line.keeps = True
    button(page, "Wrong").evaluate("it => it.click()")  # another outline: a new figure
    line.wait_for(page, b"Heatmap of cell values")
    page.mouse.click(*place)
    page.wait_for_timeout(1000)  # so that the click comes before the new figure
    line.goes_on()
    expect(page.get_by_text(re.compile("^Row 4 ·"))).to_be_visible()
    no_faults(page)
