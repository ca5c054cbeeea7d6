"""A receiver of webhooks on this host's own address, for tests: keeps what it gets, refuses or
hangs."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """`received`: the headers and the body of each request. `status`: the answer's, after
    `seconds`."""

    origin: str = ""
    status: int = 204
    seconds: float = 0
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _headers, body in self.received]

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _body in self.received]


@contextmanager
def receiver() -> Iterator[Receiver]:
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.received.append((dict(self.headers), body))
            if state.closed.wait(state.seconds):
                return
            with suppress(OSError):  # the sender has gone
                self.send_response(state.status)
                if state.status == 200:
                    self.send_header("Content-Encoding", "gzip")
                if 300 <= state.status < 400:
                    self.send_header("Location", f"{state.origin}/elsewhere")
                self.end_headers()
                # Nothing says where the answer ends.
                while state.status == 200 and not state.closed.is_set():
                    self.wfile.write(bytes(2**16))

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        state.origin = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield state
        state.closed.set()
        server.shutdown()
