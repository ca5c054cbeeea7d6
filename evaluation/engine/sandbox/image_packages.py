"""The packages of a sandbox image. This machine's pip fetches them, so that the image's own
container needs no network, no pip and no certificate."""

import io
import os
import stat
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import texts

PINNED = Path(__file__).with_name("image_packages.txt")
CA_BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")

# Input of the build container; removed before the image is taken.
BUILD_DIRECTORY = "/var/assay-build"


def fetch_packages(directory: Path) -> None:
    """Raises SandboxError."""
    options = ["--no-deps", "--no-compile", "--require-hashes", "--only-binary=:all:", "--quiet"]
    target = ["--python-version", "3.11", "--platform", "any", "--abi", "none"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, *target]
        + ["--implementation", "py", "--target", str(directory), "-r", str(PINNED)],
        env={**os.environ, **pip_environment(), "PIP_USER": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()
        raise SandboxError(texts.PIP_FAILED(reason=words[-1] if words else "no message"))


def pip_environment(python: str = sys.executable, bundle: Path = CA_BUNDLE) -> dict[str, str]:
    """Variables that make `python`'s pip trust the certificates that this machine trusts. Empty if
    pip is configured with certificates. An older pip knows only its own certificates, and fails
    behind a proxy that has another one."""
    variables = {"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} & os.environ.keys()
    if variables or not bundle.exists():
        return {}
    command = [python, "-m", "pip", "config", "get", "global.cert"]
    configured = subprocess.run(command, capture_output=True, check=False).returncode == 0
    return {} if configured else {"PIP_CERT": str(bundle)}


def packed(texts: Mapping[str, str], packages: Path | None = None) -> bytes:
    """The build directory as a tar, with this machine's certificates."""
    directory = BUILD_DIRECTORY.removeprefix("/var/")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, text in texts.items():
            entry = tarfile.TarInfo(f"{directory}/{path}")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
        if packages is not None:
            tar.add(packages, f"{directory}/packages", filter=as_root)
        if CA_BUNDLE.exists():
            tar.add(CA_BUNDLE.resolve(), f"{directory}/ca.crt", filter=as_root)
    return buffer.getvalue()


def as_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    if not member.issym():
        member.mode = 0o755 if member.isdir() or member.mode & stat.S_IXUSR else 0o644
    return member
