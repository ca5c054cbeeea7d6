"""An OpenID Connect provider: a real HTTP server with discovery, authorisation, tokens and keys.

Whoever asks is signed in there at once, as the test's person."""

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from pytest_django.fixtures import Settings

CLIENT, SECRET = "assay", "the client's secret"


@dataclass
class Provider:
    """`claims` are about the person who is signed in at the provider."""

    claims: dict[str, Any]
    url: str = ""
    key: rsa.RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048)
    )
    codes: set[str] = field(default_factory=set)

    def settings(self) -> dict[str, Any]:
        """SOCIALACCOUNT_PROVIDERS as leaderboard/settings.py makes it from the environment."""
        app = {
            "provider_id": "lab",
            "name": "The Lab",
            "client_id": CLIENT,
            "secret": SECRET,
            "settings": {"server_url": self.url},
        }
        return {"openid_connect": {"APP": app, "OAUTH_PKCE_ENABLED": True}}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        provider, parts = self.provider, urlsplit(self.path)
        if parts.path == "/.well-known/openid-configuration":
            self._send(
                {
                    "issuer": provider.url,
                    "authorization_endpoint": f"{provider.url}/authorize",
                    "token_endpoint": f"{provider.url}/token",
                    "userinfo_endpoint": f"{provider.url}/userinfo",
                    "jwks_uri": f"{provider.url}/keys",
                    "token_endpoint_auth_methods_supported": ["client_secret_post"],
                }
            )
        elif parts.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            assert query["client_id"] == CLIENT
            code = secrets.token_urlsafe()
            provider.codes.add(code)
            back = urlencode({"code": code, "state": query["state"]})
            self.send_response(302)
            self.send_header("Location", f"{query['redirect_uri']}?{back}")
            self.end_headers()
        elif parts.path == "/keys":
            key = RSAAlgorithm.to_jwk(provider.key.public_key(), as_dict=True)
            self._send({"keys": [key | {"kid": "1", "use": "sig", "alg": "RS256"}]})
        elif parts.path == "/userinfo":
            self._send(provider.claims)
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        sent = {name: values[0] for name, values in parse_qs(body).items()}
        known = (sent.get("client_id"), sent.get("client_secret")) == (CLIENT, SECRET)
        if not known or sent["code"] not in self.provider.codes:
            self.send_error(400)
            return
        self.provider.codes.remove(sent["code"])
        claims = {"iss": self.provider.url, "aud": CLIENT, "exp": time.time() + 60, "iat": 0}
        token = jwt.encode(
            claims | self.provider.claims, self.provider.key, "RS256", headers={"kid": "1"}
        )
        self._send({"access_token": "token", "token_type": "Bearer", "id_token": token})

    def _send(self, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def known_to(settings: Settings) -> Iterator[Provider]:
    """A provider that the site's settings name, at which Eve is signed in."""
    eve = {"preferred_username": "eve", "email": "eve@example.org", "email_verified": True}
    provider = Provider({"sub": "1"} | eve)
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    provider.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    settings.SOCIALACCOUNT_PROVIDERS = provider.settings()
    settings.PROVIDER_ORIGINS = [provider.url]
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
