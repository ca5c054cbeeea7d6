"""A model's endpoint: a real HTTP server that speaks the protocol of chat completions.

The test decides on its answers and on its faults."""

import gzip
import json
import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Messages = list[dict[str, str]]
# The fault of the nth request, counted from 1; "" for a good answer.
Mishap = Callable[[int], str]

USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


@dataclass(frozen=True)
class Request:
    """A request as it arrived: the body, the key and all headers."""

    number: int
    body: dict[str, Any]
    key: str
    headers: dict[str, str]

    @property
    def messages(self) -> Messages:
        return list(self.body["messages"])


@dataclass
class Endpoint:
    """`answer` returns the model's text; `mishap` returns a fault to send instead. `most` is the
    highest number of requests under way at a time."""

    answer: Callable[[Messages], str]
    mishap: Mishap = lambda _: ""
    pause: float = 0.0
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    answered: list[Request] = field(default_factory=list)
    under_way: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Buffered: single lines would each wait until the client has acknowledged the one before.
    wbufsize = -1
    disable_nagle_algorithm = True
    endpoint: Endpoint

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        endpoint = self.endpoint
        with endpoint.lock:
            key = self.headers.get("Authorization", "")
            number, sent = len(endpoint.requests) + 1, dict(self.headers)
            request = Request(number, body, key.removeprefix("Bearer "), sent)
            endpoint.requests.append(request)
            endpoint.under_way += 1
            endpoint.most = max(endpoint.most, endpoint.under_way)
        try:
            time.sleep(endpoint.pause)
            self._respond(request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has gone
        finally:
            with endpoint.lock:
                endpoint.under_way -= 1

    def _respond(self, request: Request) -> None:
        kind = self.endpoint.mishap(request.number)
        if kind in ("429", "500", "503", "400", "401", "404"):
            return self._refuse(int(kind), request)
        if kind in ("slow", "late"):
            time.sleep(1.5 if kind == "slow" else 90)
        if kind == "redirect":
            return self._send(307, b"", {"Location": "/elsewhere"})
        stream = bool(request.body.get("stream"))
        how = {"Content-Type": "text/event-stream" if stream else "application/json"}
        if kind == "malformed":
            return self._send(200, b'{"choices": [', {"Content-Type": "application/json"})
        if kind == "page":
            return self._send(200, b"<html>Hello</html>", {"Content-Type": "text/html"})
        if kind == "nested":
            # In a stream, as an event.
            return self._send(200, b"data: " * stream + b"[" * 200_000 + b"\n\n", how)
        if kind == "empty":
            return self._send(200, b'{"choices": []}', {"Content-Type": "application/json"})
        self._good(request, cut=kind == "cut", packed=kind == "packed")
        if kind != "cut":
            self.endpoint.answered.append(request)
        return None

    def _good(self, request: Request, *, cut: bool, packed: bool) -> None:
        text = self.endpoint.answer(request.messages)
        if request.body.get("stream") and not packed:
            self._stream(text, cut=cut)
            return
        message = {"role": "assistant", "content": text}
        body = json.dumps(
            {
                "id": "c-1", "object": "chat.completion", "created": 0, "model": "canned-1",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": USAGE,
            }
        ).encode()  # fmt: skip
        kind = {"Content-Type": "application/json"}
        if packed:
            body, kind = gzip.compress(body), {**kind, "Content-Encoding": "gzip"}
        if not cut:
            self._send(200, body, kind)
            return
        self._head(200, {**kind, "Content-Length": str(len(body))})
        self.wfile.write(body[: len(body) // 2])
        self.close_connection = True

    def _stream(self, text: str, *, cut: bool) -> None:
        self._head(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        self.close_connection = True
        half = len(text) // 2
        for part in (text[:half], text[half:]):
            self._event({"content": part}, None)
            if cut:
                return
        self._event({}, "stop")
        last = {"id": "c-1", "object": "chat.completion.chunk", "created": 0, "model": "canned-1"}
        self._line(json.dumps({**last, "choices": [], "usage": USAGE}))
        self._line("[DONE]")

    def _event(self, delta: dict[str, str], finish: str | None) -> None:
        self._line(
            json.dumps(
                {
                    "id": "c-1", "object": "chat.completion.chunk", "created": 0,
                    "model": "canned-1",
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                }
            )
        )  # fmt: skip

    def _line(self, text: str) -> None:
        self.wfile.write(f"data: {text}\n\n".encode())
        self.wfile.flush()

    def _refuse(self, status: int, request: Request) -> None:
        # Some endpoints repeat the key in their error message.
        error = {"message": f"no luck with {request.key}", "type": "scripted"}
        headers = {"Content-Type": "application/json"}
        if status >= 429:
            headers["Retry-After"] = "0.05"
        self._send(status, json.dumps({"error": error}).encode(), headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self._head(status, {**headers, "Content-Length": str(len(body))})
        self.wfile.write(body)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """A client that disconnects, or does not trust the certificate, is not an error of the
        server."""


@contextmanager
def serving(
    endpoint: Endpoint,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    encrypted: ssl.SSLContext | None = None,
) -> Iterator[Endpoint]:
    """Serves the endpoint at `url` on the loopback interface until the block ends."""
    handler = type("Handler", (_Handler,), {"endpoint": endpoint})
    with _Server((host, port), handler) as server:
        if encrypted:
            server.socket = encrypted.wrap_socket(server.socket, server_side=True)
        direct = ",".join(filter(None, (os.environ.get("no_proxy"), host)))
        scheme = "https" if encrypted else "http"
        endpoint.url = f"{scheme}://{host}:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            # Tests behind a proxy must not reach the server through the proxy.
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("no_proxy", direct)
                yield endpoint
        finally:
            server.shutdown()
            thread.join()
