"""What only tests need: PostgreSQL's server, nginx, Chromium and its driver, and our stand-ins for
the images of Python and Java, on which tests build projects. Runs in .venv."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import playwright
from playwright.sync_api import sync_playwright

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import bases, docker
from evaluation.engine.sandbox.interpreter import with_supervisor
from evaluation.engine.sandbox.state import machine_lock
from evaluation.engine.variables import Variables
from scripts.console import apt_install, fail, last_words, may_install, say

POSTGRES_PLACES = Path("/usr/lib/postgresql")
OLDEST_POSTGRES = 14  # the oldest that Django 5.2 supports
# A script by which Debian's packages ask whether they may start a service.
SERVICE_POLICY = Path("/usr/sbin/policy-rc.d")
CREATECLUSTER = Path("/etc/postgresql-common/createcluster.conf")
# Debian's Chromium without windows: it draws the same with a third less processor time.
HEADLESS = "chromium-headless-shell"
CHROMIUMS = (HEADLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    find: Callable[[], Path | None]
    install: Callable[[], None]
    remedy: str


def main() -> None:
    try:
        for tool in (POSTGRES, NGINX, DRIVER, CHROMIUM):
            ensure(tool)
        client = docker.client()
        for stand_in in bases.ALL:
            base = bases.base_for(client, stand_in.name, {stand_in.name: stand_in.name}, say)
            with_supervisor(client, base, say)
            say(f"the image of {stand_in.offers}, on which tests build projects, is there")
    except SandboxError as error:
        fail(str(error))
    except KeyboardInterrupt:
        fail("Interrupted. Run `make test` again; finished steps are kept.")


def ensure(tool: Tool) -> None:
    """Finds or installs the tool, or fails with the remedy."""
    place = tool.find() or installed(tool)
    if place is None:
        fail(f"{tool.name} is missing or does not run, and the tests need it. {tool.remedy}")
    say(f"{tool.name} is there: {place}")


def installed(tool: Tool) -> Path | None:
    """Installs the tool and returns its path. Only one process of the machine installs at a
    time."""
    with machine_lock("tools-for-tests"):
        # Another process may have installed it during the wait.
        if (found := tool.find()) is not None:
            return found
        tool.install()
        return tool.find()


def answer(program: str | Path, *arguments: str) -> str | None:
    """The program's output; None if it does not run or fails."""
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def postgres_programs() -> Path | None:
    """The directory with `initdb` and `postgres`: Debian's newest, or the one on PATH."""
    places = sorted(POSTGRES_PLACES.glob("*/bin"), key=postgres_version, reverse=True)
    if on_path := shutil.which("initdb"):
        places.append(Path(on_path).resolve().parent)
    return next((p for p in places if postgres_version(p) >= OLDEST_POSTGRES), None)


def postgres_version(place: Path) -> int:
    """The major version of the PostgreSQL in a directory; 0 if it has no server."""
    if not (place / "initdb").exists():
        return 0
    found = re.search(r"\(PostgreSQL\) (\d+)", answer(place / "postgres", "--version") or "")
    return int(found[1]) if found else 0


def install_postgres() -> None:
    if may_install():
        with no_cluster_of_its_own():
            apt_install("postgresql")


@contextlib.contextmanager
def no_cluster_of_its_own() -> Iterator[None]:
    """Prevents Debian's package from creating and starting a server. Restores its configuration
    afterwards."""
    if not CREATECLUSTER.exists():
        apt_install("postgresql-common")
    before = CREATECLUSTER.read_text()
    CREATECLUSTER.write_text(f"{before}\ncreate_main_cluster = false\n")
    try:
        yield
    finally:
        CREATECLUSTER.write_text(before)


def nginx() -> Path | None:
    """Debian puts it where only root's PATH may lead."""
    place = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    return Path(place) if place and answer(place, "-v") is not None else None


def install_nginx() -> None:
    if may_install():
        with no_services():
            apt_install("nginx")


@contextlib.contextmanager
def no_services() -> Iterator[None]:
    """Prevents packages from starting services, if the machine has no policy of its own."""
    if SERVICE_POLICY.exists():
        yield
        return
    SERVICE_POLICY.write_text("#!/bin/sh\nexit 101\n")
    SERVICE_POLICY.chmod(0o755)
    try:
        yield
    finally:
        SERVICE_POLICY.unlink()


def driver() -> Path | None:
    """Playwright's own driver. Its package lacks some libraries that the driver is linked to."""
    if answer(sys.executable, "-m", "playwright", "--version") is None:
        return None
    return Path(playwright.__file__).parent / "driver"


def install_driver() -> None:
    if may_install():
        apt_install("libatomic1")


def chromium() -> Path | None:
    """The named Chromium, the machine's, or Playwright's own."""
    if named := Variables().path("ASSAY_CHROMIUM"):
        return named if answer(named, "--version") else None
    found = (Path(place) for name in CHROMIUMS if (place := shutil.which(name)))
    good = (place for place in found if not is_snap(place) and answer(place, "--version"))
    return next(good, None) or playwrights_own()


def is_snap(program: Path) -> bool:
    """True for Ubuntu's stand-ins: a snap sees neither our /tmp nor, often, Playwright's pipe."""
    with program.open("rb") as file:
        return program.resolve().name == "snap" or b"/snap/bin/" in file.read(4096)


def playwrights_own() -> Path | None:
    """The browser that `playwright install` fetched. Must not be called inside Playwright."""
    with sync_playwright() as running:
        place = Path(running.chromium.executable_path)
    return place if answer(place, "--version") else None


def install_chromium() -> None:
    """Debian's package; elsewhere Playwright's own, on Ubuntu with the libraries that it needs."""
    if Variables().path("ASSAY_CHROMIUM"):
        return  # The user chose a browser.
    ubuntu = "Ubuntu" in platform.freedesktop_os_release().get("NAME", "")
    if may_install() and not ubuntu:
        apt_install(HEADLESS if answer("apt-cache", "show", HEADLESS) else "chromium")
    else:
        fetch_chromium(*(["--with-deps"] if may_install() else []))


def fetch_chromium(*options: str) -> None:
    say("fetching Chromium with playwright install")
    command = [sys.executable, "-m", "playwright", "install", "--no-shell", *options, "chromium"]
    seconds = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}
    done = subprocess.run(
        command, env={**seconds, **os.environ}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        # The last lines are a traceback; the reasons begin with "Error:".
        said = (done.stdout + done.stderr).splitlines()
        reasons = [line for line in said if line.startswith("Error:")]
        say(f"playwright install failed: {last_words(chr(10).join(reasons or said))}")


POSTGRES = Tool(
    "PostgreSQL",
    postgres_programs,
    install_postgres,
    f"Install the server, version {OLDEST_POSTGRES} or newer (Debian, Ubuntu: apt-get install "
    "postgresql); if initdb does not lie under /usr/lib/postgresql, put its directory on PATH.",
)
NGINX = Tool(
    "nginx",
    nginx,
    install_nginx,
    "Install it (Debian, Ubuntu: apt-get install nginx), or put it on PATH.",
)
DRIVER = Tool(
    "Playwright's driver",
    driver,
    install_driver,
    "`.venv/bin/python -m playwright --version` says which of its libraries this machine lacks "
    "(Debian, Ubuntu: apt-get install libatomic1).",
)
CHROMIUM = Tool(
    "Chromium",
    chromium,
    install_chromium,
    f"Install Chromium or Chrome, not as a snap (Debian: apt-get install {HEADLESS}), or name "
    "one that runs in ASSAY_CHROMIUM.",
)

if __name__ == "__main__":
    main()
