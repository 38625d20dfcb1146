"""A small OpenID Connect provider on this machine: it signs with a key of its own, and can be told to attack."""

import base64
import hashlib
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from panelist.config import OpenId

CLIENT, SECRET = "panelist-client", "the secret of the client"


class TestingProvider:
    """Authorization code with PKCE, as OpenID Connect Core 1.0 has it, without asking anybody for a password.

    Attributes:
        claims: of the next ID tokens, before or instead of the right ones; None leaves one out.
        key: that signs; the published one is `published`.
        unsigned: whether tokens have the algorithm `none`.
        asked: parameters of the requests for a code.
    """

    __test__ = False

    def __init__(self):
        self.published = self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.claims, self.unsigned, self.broken, self.asked, self._codes = {}, False, False, [], {}

    def settings(self, address, claim="email"):
        return OpenId(self.issuer, CLIENT, SECRET, address, claim)

    def answer(self, path, query, form):
        if self.broken:
            return 500, {}
        match path:
            case "/.well-known/openid-configuration":
                ends = {"authorization": "authorize", "token": "token"}
                return 200, {f"{name}_endpoint": f"{self.issuer}/{end}" for name, end in ends.items()} | {
                    "issuer": self.issuer,
                    "jwks_uri": f"{self.issuer}/keys",
                    "id_token_signing_alg_values_supported": ["RS256", "none"],  # as some real ones say
                }
            case "/keys":
                return 200, {"keys": [self.published.as_dict(private=False)]}
            case "/authorize":
                self.asked.append(query)
                code = f"code-{len(self.asked)}"
                self._codes[code] = query
                return 302, query["redirect_uri"] + "?" + urlencode({"code": code, "state": query["state"]})
            case "/token":
                return self._token(self._codes.pop(form["code"], None), form)
        return 404, {}

    def _token(self, asked, form):
        """A code is good once, and for who has the verifier."""
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        right = {"iss": self.issuer, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {name: value for name, value in (right | self.claims).items() if value is not None}
        return 200, {"access_token": "a", "token_type": "Bearer", "id_token": self._signed(claims)}

    def _signed(self, claims):
        if self.unsigned:
            parts = [json.dumps(one).encode() for one in ({"alg": "none"}, claims)]
            return ".".join(base64.urlsafe_b64encode(one).rstrip(b"=").decode() for one in parts) + "."
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)


@contextmanager
def provider_running():
    """A provider at an address of this machine."""
    provider = TestingProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            form = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            address = urlsplit(self.path)
            first = [{name: one[0] for name, one in parse_qs(text).items()} for text in (address.query, form)]
            status, content = provider.answer(address.path, *first)
            body = b"" if status == 302 else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "application/json")
            if status == 302:
                self.send_header("Location", content)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=60)
