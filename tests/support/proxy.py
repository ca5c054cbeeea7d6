"""nginx with the documented configuration, in front of a site in a process of its own."""

import os
import re
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from scripts import tools_for_tests
from tests.support.certificates import certified
from tests.support.commands import ROOT, wait_for
from tests.support.postgres import ending_with_parent

CONFIGURATION = ROOT / "docs/operators/nginx.conf"
HOST = "assay.example.org"
# What the distribution's own nginx.conf holds.
FRAME = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    access_log {folder}/access.log;
    include {folder}/assay.conf;
}}
"""


def free_port() -> int:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def nginx(folder: Path, site_port: int, text: str = "") -> Iterator[int]:
    """Yields the port for HTTPS. Takes CONFIGURATION, or `text` instead of it, and changes only
    its ports and the paths of its certificate."""
    port, plain = free_port(), free_port()
    certified(folder, HOST)
    text = text or CONFIGURATION.read_text()
    for old, new in (
        (r"server 127\.0\.0\.1:8000;", f"server 127.0.0.1:{site_port};"),
        (r"listen (80|443 ssl http2);", lambda m: f"listen 127.0.0.1:{m[1]};"),
        (r"listen \[::\]:.*;", ""),
        (r"127\.0\.0\.1:80;", f"127.0.0.1:{plain};"),
        (r"127\.0\.0\.1:443 ", f"127.0.0.1:{port} "),
        (r"/etc/ssl/assay\.pem", f"{folder}/{HOST}.pem"),
        (r"/etc/ssl/assay\.key", f"{folder}/{HOST}.key"),
    ):
        text, changes = re.subn(old, new, text)
        assert changes, f"{CONFIGURATION} has no {old}"
    (folder / "assay.conf").write_text(text)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder, user=user))
    program = tools_for_tests.nginx()
    assert program, tools_for_tests.NGINX.remedy
    with subprocess.Popen(
        [program, "-p", folder, "-e", f"{folder}/error.log", "-c", "nginx.conf"],
        stdin=subprocess.DEVNULL,
        preexec_fn=ending_with_parent(signal.SIGTERM),
    ) as process:
        try:
            wait_for(lambda: listens(port) or process.poll() is not None)
            assert process.poll() is None, (folder / "error.log").read_text()
            yield port
        finally:
            process.terminate()


def listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2):
        return True
    return False


def connected(port: int, *, source: str = "127.0.0.1") -> ssl.SSLSocket:
    """An encrypted connection to nginx from an address of this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))
    return context.wrap_socket(plain, server_hostname=HOST)
