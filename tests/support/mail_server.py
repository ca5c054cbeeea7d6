"""A mail server on this host's own address, for tests: keeps what it gets, refuses or hangs."""

import email
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message


@dataclass
class MailServer:
    """`received`: the envelope's recipients, and the message. `says`: the answer to a message that
    was received in full, after `seconds`."""

    port: int = 0
    says: str = "250 kept"
    seconds: float = 0
    received: list[tuple[list[str], Message]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def subjects(self) -> list[str]:
        return [message["Subject"] for _, message in self.received]


@contextmanager
def mail_server() -> Iterator[MailServer]:
    state = MailServer()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 test")
            recipients: list[str] = []
            for line in self.rfile:
                command = line[:4].upper()
                if command == b"RCPT":
                    recipients.append(line.partition(b"<")[2].partition(b">")[0].decode())
                if command == b"DATA":
                    self._say("354 go on")
                    lines = list(iter(self.rfile.readline, b".\r\n"))
                    if state.says.startswith("250"):
                        message = email.message_from_bytes(b"".join(lines))
                        state.received.append((recipients, message))
                    if state.closed.wait(state.seconds):
                        return
                    self._say(state.says)
                else:
                    self._say("250 test")
                if command == b"QUIT":
                    return

        def _say(self, line: str) -> None:
            self.wfile.write(line.encode() + b"\r\n")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = allow_reuse_address = True

        def handle_error(self, *_: object) -> None:
            """A client was killed."""

    with Server(("127.0.0.1", 0), Handler) as server:
        state.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield state
        state.closed.set()
        server.shutdown()
