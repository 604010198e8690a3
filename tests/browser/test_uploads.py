"""What is sent to a server by somebody else than a page of the app."""

import urllib.error
import urllib.request

import pytest


def answer(server, method, **headers):
    """The status that comes for a file of nobody's session."""
    url = f"{server.url}/_stcore/upload_file/nobody/file"
    asked = urllib.request.Request(url, b"a,y\n1,2\n", headers, method=method)
    try:
        with urllib.request.urlopen(asked) as found:
            return found.status
    except urllib.error.HTTPError as refused:
        refused.close()
        return refused.code


@pytest.mark.parametrize(("method", "taken"), [("PUT", 400), ("DELETE", 204)])
def test_a_file_is_taken_only_with_the_token_of_a_page(server, method, taken):
    """Another site can make a browser send the cookie, but cannot read it."""
    with urllib.request.urlopen(f"{server.url}/_stcore/health") as page:
        cookie = page.headers["Set-Cookie"].partition(";")[0]
    name, _, token = cookie.partition("=")
    assert name == "_streamlit_xsrf" and len(token) > 32
    assert answer(server, method) == 403
    assert answer(server, method, Cookie=cookie) == 403
    assert answer(server, method, **{"X-Xsrftoken": token}) == 403
    for wrong in ("", "x", token[:20], f"{token[:12]}0000{token[16:]}"):
        said = {"Cookie": cookie, "X-Xsrftoken": wrong}
        assert answer(server, method, **said) == 403
    # with both, only the session is asked for, and there is none
    assert answer(server, method, **{"Cookie": cookie, "X-Xsrftoken": token}) == taken
