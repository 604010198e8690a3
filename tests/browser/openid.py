"""A provider of logins by OpenID for walks: whoever clicks on a name is logged in."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

PEOPLE = ("ann", "bob")
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def told(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def told_number(number):
    return told(number.to_bytes((number.bit_length() + 7) // 8, "big"))


def signed(claims):
    """A JSON web token."""
    parts = [{"alg": "RS256", "typ": "JWT", "kid": "k"}, claims]
    text = ".".join(told(json.dumps(part).encode()) for part in parts)
    mark = KEY.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{text}.{told(mark)}"


class Provider(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = urlsplit(self.path)
        base = f"http://{self.headers['Host']}"
        if asked.path == "/authorize":
            self.show_names({k: v[0] for k, v in parse_qs(asked.query).items()})
        elif asked.path == "/keys":
            public = KEY.public_key().public_numbers()
            key = {"kty": "RSA", "kid": "k", "alg": "RS256", "use": "sig"}
            key |= {"n": told_number(public.n), "e": told_number(public.e)}
            self.answer({"keys": [key]})
        else:
            self.answer(
                {
                    "issuer": base,
                    "authorization_endpoint": f"{base}/authorize",
                    "token_endpoint": f"{base}/token",
                    "jwks_uri": f"{base}/keys",
                    "response_types_supported": ["code"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                }
            )

    def show_names(self, asked):
        links = [
            (name, urlencode({"code": f"{name} {asked['nonce']}"} | state))
            for state in [{"state": asked["state"]}]
            for name in PEOPLE
        ]
        to = asked["redirect_uri"]
        page = "".join(f'<a href="{to}?{query}">{name}</a> ' for name, query in links)
        self.answer(page, "text/html")

    def do_POST(self):
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        name, nonce = sent["code"][0].split()
        now = int(time.time())
        claims = {
            "iss": f"http://{self.headers['Host']}",
            "aud": "cellval",
            **{"sub": f"id of {name}", "name": name, "email": f"{name}@example.org"},
            **{"nonce": nonce, "iat": now, "exp": now + 3600},
        }
        token = {"access_token": name, "token_type": "Bearer", "expires_in": 3600}
        self.answer(token | {"id_token": signed(claims)})

    def answer(self, content, kind="application/json"):
        raw = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *words):
        """Nothing."""


def start():
    """A provider on a free port; its address, and a function that ends it."""
    server = ThreadingHTTPServer(("localhost", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def end():
        server.shutdown()
        server.server_close()

    return f"http://localhost:{server.server_port}", end
