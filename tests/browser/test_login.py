"""A server with a login: everybody has projects of their own."""

import re

import pytest

pytest.importorskip("cryptography", reason="comes with the extra 'login'")
from browser import openid
from browser.conftest import Server
from browser.steps import button, expect, sidebar

SECRETS = """
[auth]
redirect_uri = "{server}/oauth2callback"
cookie_secret = "some long text that only this server knows"
client_id = "cellval"
client_secret = "from the provider"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""


@pytest.fixture
def with_login(tmp_path):
    provider, end = openid.start()
    secrets = tmp_path / "secrets.toml"

    def write(server):
        secrets.write_text(SECRETS.format(server=server.url, provider=provider))

    options = ["--secrets.files", str(secrets)]
    running = Server(
        tmp_path / "log.txt",
        options=options,
        before=write,
        env={"AUTHLIB_INSECURE_TRANSPORT": "1"},  # https is for real providers
    )
    yield running
    running.close()
    end()
    assert "Traceback" not in running.log.read_text()


def log_in(page, server, name):
    page.goto(server.url)
    expect(page.get_by_text("Log in to see your projects")).to_be_visible()
    expect(button(page, "Davis")).to_have_count(0)
    button(page, "Log in").click()
    page.get_by_role("link", name=name).click()
    expect(sidebar(page).get_by_text(re.compile(f"{name}$"))).to_be_visible()


def test_each_person_sees_their_own_projects_after_a_login(new_person, with_login):
    ann, bob = new_person(), new_person()
    log_in(ann, with_login, "ann")
    button(ann, "Davis").click()
    expect(sidebar(ann).get_by_text("davis.csv")).to_be_visible()
    link = ann.url
    log_in(bob, with_login, "bob")
    expect(bob.get_by_text("Your projects")).to_have_count(0)
    # in another browser, and another day
    elsewhere = new_person()
    log_in(elsewhere, with_login, "ann")
    expect(elsewhere.get_by_text("Your projects")).to_be_visible()
    # a link still opens what its owner gave away
    bob.goto(link)
    expect(sidebar(bob).get_by_text("davis.csv")).to_be_visible()
    button(ann, "Log out").click()
    expect(ann.get_by_text("Log in to see your projects")).to_be_visible()
    expect(sidebar(ann).get_by_text(re.compile("davis"))).to_have_count(0)
