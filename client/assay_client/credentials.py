"""The site's address and a token: from the environment, or from the file of `assay login`."""

import json
import os
from pathlib import Path

import httpx2

from assay_client.errors import Refused

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def credentials_file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder, "assay", "credentials.json")


def checked_address(address: str) -> str:
    """The address without a slash at its end. Raises Refused if a token would cross a network
    unencrypted, unless ASSAY_ALLOW_HTTP is 1."""
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL:
        url = httpx2.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise Refused(f"{address!r} is no address of a site, such as https://assay.example.org.")
    plain = url.scheme == "http" and url.host not in _LOOPBACK
    if plain and os.environ.get("ASSAY_ALLOW_HTTP") != "1":
        raise Refused(
            f"{address} would get your token unencrypted. Use https, or set ASSAY_ALLOW_HTTP=1."
        )
    return address.rstrip("/")


def stored() -> dict[str, str]:
    """The keys "site" and "token" of the file; empty without a file. Raises Refused if other people
    may read the file, or if it cannot be read."""
    path = credentials_file()
    try:
        with path.open(encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & 0o077:
                raise Refused(f"Others may read {path}. Run: chmod 600 {path}")
            content = json.load(file)
        return {"site": str(content["site"]), "token": str(content["token"])}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path} cannot be read ({error}). Run: assay login") from error


def store(site: str, token: str) -> Path:
    """Writes the file, readable by its owner alone. Raises Refused."""
    path = credentials_file()
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"site": site, "token": token}, file)
        draft.replace(path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}.") from error
    return path


def credentials(site: str | None = None, token: str | None = None) -> tuple[str, str]:
    """The address and the token ("" without one): those given, else ASSAY_SITE and ASSAY_TOKEN,
    else the file's. A stored token goes to its own site alone."""
    # A secret that was read from a file may end in a line break.
    site = (site or os.environ.get("ASSAY_SITE", "")).strip()
    token = (token or os.environ.get("ASSAY_TOKEN", "")).strip()
    saved = stored() if not (site and token) else {}
    address = site or saved.get("site")
    if not address:
        raise Refused("No site is named. Run `assay login`, or set ASSAY_SITE and ASSAY_TOKEN.")
    address = checked_address(address)
    if not token and saved.get("site") == address:
        token = saved["token"]
    return address, token or ""
