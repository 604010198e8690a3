"""Walks with runs that are stopped, left, reloaded, waited for and large."""

import re

import pandas as pd

from browser.steps import (
    LONG,
    SAMPLES,
    TITLES,
    _bytes,
    button,
    done,
    expect,
    goto,
    no_faults,
    sidebar,
    start,
    start_slow,
    until,
    upload,
)


def test_a_run_goes_on_beside_pages_reloads_and_others_and_a_stop_keeps_it(
    new_person, server
):
    one, two = new_person(), new_person()
    start_slow(one, server)
    expect(one).to_have_url(re.compile(r"project="))
    link = one.url
    one.reload()
    expect(button(one, "Stop the run")).to_be_visible()
    expect(sidebar(one).get_by_text("slow.csv")).to_be_visible()
    expect(one.locator(".js-plotly-plot").first).to_be_visible()
    # the last one is not drawn again with every snapshot, as a heatmap is
    for title in ("Columns", "Inspection list", "Heatmap", "Data"):
        goto(one, title)
        expect(button(one, "Stop the run")).to_be_visible()
        expect(one).to_have_url(re.compile(link.rpartition("=")[2]))
    # another person sees nothing of it
    two.goto(server.url)
    expect(sidebar(two).get_by_text("No data yet.")).to_be_visible()
    button(two, "Davis").click()
    expect(button(two, "Value the cells")).to_be_enabled()
    start(two)
    done(two)
    expect(sidebar(two).get_by_text("davis.csv")).to_be_visible()
    expect(sidebar(one).get_by_text("slow.csv")).to_be_visible()
    button(one, "Stop the run").click()
    expect(sidebar(one).get_by_text("The values so far are kept")).to_be_visible()
    goto(one, "Heatmap")
    expect(one.locator(".js-plotly-plot").first).to_be_visible()
    no_faults(one)


def test_runs_wait_in_turn_and_a_killed_server_loses_nothing(new_person, fresh_server):
    one, two = new_person(), new_person()
    # a link to a page works as the very first visit, too
    answer = one.goto(f"{fresh_server.url}/export")
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    expect(one.get_by_role("heading", name="Export", level=1)).to_be_visible()
    for title in TITLES:
        link = one.get_by_test_id("stSidebarNavLink").filter(has_text=title)
        expect(link).to_be_visible()
    no_faults(one)
    start_slow(one, fresh_server)
    goto(one, "Data")
    link = one.url
    two.goto(fresh_server.url)
    button(two, "Davis").click()
    start(two)
    expect(sidebar(two).get_by_text("Waiting: 1 run before this one")).to_be_visible()
    # another file leaves the run on the old one alone
    one.get_by_text("Open another file").click()
    button(one, "Wine").click()
    expect(sidebar(one).get_by_text("Not valued yet")).to_be_visible()
    expect(sidebar(two).get_by_text("Waiting: 1 run before this one")).to_be_visible()
    one.goto(link)
    button(one, "Stop the run").click()
    done(two)
    goto(two, "Inspection list")
    # as when a page was left in the middle of its drawing: a click mends the address
    two.evaluate("history.replaceState({}, '', location.pathname)")
    before = two.get_by_role("button", name=re.compile("^Previous"), disabled=False)
    until(before, two.get_by_role("button", name=re.compile("^Next")).click)
    expect(two).to_have_url(re.compile("project=.*finding="))
    two.get_by_role("button", name=re.compile("^Wrong")).click()
    undo = two.get_by_role("button", name=re.compile("Undo")).first
    expect(undo).to_be_visible()
    button(one, "Continue the run").click()
    expect(button(one, "Stop the run")).to_be_visible()
    places = {person: person.url for person in (one, two)}
    fresh_server.process.kill()
    fresh_server.process.wait()
    fresh_server.start()
    # Not reloaded: pages find the new server by themselves, and on their way to what
    # they showed the address is that of the first page for a moment.
    for person, url in places.items():
        person.goto(url)
    expect(sidebar(two).get_by_text("davis.csv")).to_be_visible(timeout=LONG)
    done(two)
    expect(undo).to_be_visible()
    expect(sidebar(one).get_by_text("Cut short after")).to_be_visible(timeout=LONG)
    button(one, "Continue the run").click()
    expect(button(one, "Stop the run")).to_be_visible()
    button(one, "Stop the run").click()
    expect(sidebar(one).get_by_text("The values so far are kept")).to_be_visible()


def test_a_table_of_the_size_of_adult_shows_partial_values_and_light_pages(
    page, server
):
    adult = pd.read_csv(SAMPLES / "adult_2000.csv", dtype=str, keep_default_na=False)
    large = adult.sample(32_561, replace=True, random_state=0)
    # Resampled rows would all have twins; a number of their own keeps them apart.
    large["fnlwgt"] = [str(20_000 + 7 * i) for i in range(len(large))]
    received = []

    def listen(socket):
        socket.on("framereceived", lambda frame: received.append(len(frame)))

    page.on("websocket", listen)
    page.goto(server.url)
    file = {"name": "large.csv", "mimeType": "text/csv", "buffer": _bytes(large)}
    upload(page, file)
    expect(page.get_by_text("32,561 rows")).to_be_visible()
    expect(page.get_by_text("Fast approximation")).to_be_visible()
    expect(page.get_by_role("switch", name="Fast approximation")).to_be_checked()
    start(page)
    expect(page.locator(".js-plotly-plot .nsewdrag").first).to_be_visible()
    button(page, "Stop the run").click()
    expect(sidebar(page).get_by_text("The values so far are kept")).to_be_visible()
    for title in TITLES[1:]:
        received.clear()
        goto(page, title)
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        assert sum(received) < 2_000_000, title
        no_faults(page)


def test_a_click_on_what_is_replaced_meanwhile_is_made_again(new_person):
    page = new_person()
    page.goto("data:text/html,<button>Go</button><p>waiting</p>")
    page.evaluate("""() => {
      const button = document.querySelector("button"), next = button.cloneNode(true);
      button.addEventListener("pointerdown", () => button.replaceWith(next));
      next.onclick = () => document.querySelector("p").textContent = "heard";
    }""")
    button(page, "Go").click()
    assert page.locator("p").inner_text() == "heard"
