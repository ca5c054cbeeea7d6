"""Makes a Debian base system on this machine, if no registry answers. Knows nothing of Docker."""

import contextlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import texts

SUITE = "bookworm"
OPTIONS = ("--variant=minbase", "--include=python3", "--force-check-gpg")

# Docker provides device nodes and mounts; the other paths are download caches.
LEFT_OUT = (
    "./dev/*",
    "./proc/*",
    "./sys/*",
    "./var/cache/apt/archives/*.deb",
    "./var/lib/apt/lists/*",
)

PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
ONE_LINE_SOURCE = re.compile(r"^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.*)$")


class DebootstrapMissing(SandboxError):
    """The program is not installed."""


def require() -> None:
    """Raises SandboxError, with the remedy, if a base system cannot be made here."""
    if os.geteuid() != 0:
        raise SandboxError(texts.NO_BASE())
    if shutil.which("debootstrap") is None:
        raise DebootstrapMissing(texts.NO_DEBOOTSTRAP())


@contextlib.contextmanager
def base_system(mirror: str | None = None) -> Iterator[IO[bytes]]:
    """Yields a tar stream of a minimal Debian with Python 3, about 200 MB; takes 1 to 2 minutes.
    `mirror` defaults to that of this machine's apt, then to debootstrap's own. Raises SandboxError
    with the end of debootstrap's output."""
    require()
    # Not /tmp: that is often mounted nodev, where debootstrap refuses to work.
    scratch = os.environ.get("TMPDIR") or "/var/tmp"  # noqa: S108 - mkdtemp makes a private one
    with tempfile.TemporaryDirectory(prefix="assay-base-", dir=scratch) as directory:
        root = Path(directory) / "root"
        mirror = mirror or apt_mirror()
        command = ["debootstrap", *OPTIONS, SUITE, str(root), *([mirror] if mirror else [])]
        # A mount namespace, so that an interrupted debootstrap leaves no /proc mounted.
        probe = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
        done = subprocess.run(
            [*(["unshare", "--mount"] if probe.returncode == 0 else []), *command],
            env={**os.environ, "LC_ALL": "C", **proxies()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            lines = done.stdout.splitlines()
            errors = [line.removeprefix("E: ") for line in lines if line.startswith("E: ")]
            if not errors:
                log = root / "debootstrap/debootstrap.log"
                logged = log.read_text(errors="replace") if log.is_file() else ""
                errors = (logged or done.stdout).strip().splitlines()[-3:]
            said = f"{'; '.join(errors).removesuffix('.')}."
            raise SandboxError(texts.DEBOOTSTRAP_FAILED(said=said))
        command = ["tar", "--numeric-owner", *(f"--exclude={pattern}" for pattern in LEFT_OUT)]
        command += ["-C", str(root), "-cf", "-", "."]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            yield process.stdout
        if process.returncode != 0:
            raise SandboxError(texts.TAR_FAILED(directory=str(root)))


def apt_mirror(etc: Path = Path("/etc")) -> str | None:
    """Returns the mirror from which this machine's apt gets the same Debian release."""
    sources = [etc / "apt/sources.list", *sorted((etc / "apt/sources.list.d").glob("*"))]
    wanted = {"types": "deb", "suites": SUITE, "components": "main"}
    mirrors = []
    for path in sources:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = path.read_text()
            if path.suffix != ".sources":
                lines = [ONE_LINE_SOURCE.match(line.strip()) for line in text.splitlines()]
                of_suite = [line for line in lines if line and line[2] == SUITE]
                mirrors += [line[1] for line in of_suite if "main" in line[3].split()]
                continue
            for stanza in re.split(r"\n\s*\n", text):
                fields = {
                    name.strip().lower(): value.split()
                    for name, colon, value in (line.partition(":") for line in stanza.splitlines())
                    if colon and not name.startswith("#")
                }
                offers = all(value in fields.get(name, []) for name, value in wanted.items())
                if offers and "no" not in fields.get("enabled", []):
                    mirrors += fields.get("uris", [])
    usable = ("http://", "https://", "file:", "copy:")
    return next((mirror for mirror in mirrors if mirror.startswith(usable)), None)


def proxies() -> dict[str, str]:
    """This machine's proxy variables, or apt's if none is set: neither debootstrap nor apt in a
    container reads this machine's apt settings."""
    proxies = {name: os.environ[name] for name in PROXIES if name in os.environ}
    if not {"http_proxy", "HTTP_PROXY"} & proxies.keys():
        for scheme in ("http", "https"):
            option = f"Acquire::{scheme}::Proxy"
            with contextlib.suppress(OSError):
                command = ["apt-config", "dump", "--format", "%v%n", option]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.stdout.strip().startswith("http"):
                    proxies[f"{scheme}_proxy"] = done.stdout.strip()
    return proxies


def architecture() -> str:
    """Docker's name for this machine's architecture."""
    names = {"x86_64": "amd64", "aarch64": "arm64"}
    return names.get(platform.machine(), platform.machine())
