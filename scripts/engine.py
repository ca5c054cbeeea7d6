"""Docker and the sandbox images. Runs in the virtual environment.

Uses any Docker that answers. Installs and starts one only as root on Debian or Ubuntu, unless
DOCKER_HOST names another machine.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import docker
from docker.errors import DockerException
from requests.exceptions import RequestException

from evaluation.engine.errors import SandboxError, SettingError
from evaluation.engine.sandbox import images
from evaluation.engine.sandbox.debootstrap import DebootstrapMissing
from evaluation.engine.sandbox.state import machine_lock, state_directory
from evaluation.engine.variables import Variables
from scripts.console import apt_install, fail, last_words, may_install, say

SOCKET = Path("/var/run/docker.sock")
PID_FILES = {
    Path("/var/run/docker.pid"): "dockerd",
    Path("/var/run/docker/containerd/containerd.pid"): "containerd",
}
START_SECONDS = 60
# Sandboxes need no network, so Docker may run without access to the firewall.
WITHOUT_NETWORK = ["--iptables=false", "--ip6tables=false", "--bridge=none"]


def main() -> None:
    try:
        ensure_docker()
        ensure_images()
    except (SandboxError, SettingError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        fail("Interrupted. Run `make setup` again; finished steps are kept.")


def ensure_docker() -> None:
    """Installs and starts Docker if it is missing and this is permitted."""
    if answers():
        return
    require_permission()
    with machine_lock("docker"):
        if answers():
            return
        if shutil.which("dockerd") is None:
            apt_install(*packages())
        start()


def answers() -> bool:
    """True, with a line of output, if Docker answers."""
    try:
        found: dict[str, Any] = docker.from_env(timeout=10).version()
    except (DockerException, RequestException):
        return False
    say(f"Docker {found['Version']} answers at {address()}")
    return True


def address() -> str:
    return os.environ.get("DOCKER_HOST") or f"unix://{SOCKET}"


def require_permission() -> None:
    """Fails with the missing permission or tool if Docker cannot be installed or started here."""
    if os.environ.get("DOCKER_HOST"):
        fail(
            f"Docker does not answer at {address()} (DOCKER_HOST). Start it there, or unset "
            "DOCKER_HOST to use this machine's own."
        )
    if SOCKET.exists() and not os.access(SOCKET, os.W_OK):
        fail(
            f"You may not use {SOCKET}. Run `make setup` as root, or join the group docker "
            "(usermod -aG docker YOU) and log in again."
        )
    if os.geteuid() != 0:
        fail(
            "Docker does not answer, and installing or starting it needs root. Run `make "
            "setup` as root, or start Docker, or set DOCKER_HOST to another machine's Docker."
        )
    if shutil.which("dockerd") is None and not may_install():
        fail(
            "Docker is not installed, and `make setup` installs it only on Debian and Ubuntu. "
            "Install Docker Engine 20.10 or newer, start it, and run this again."
        )


def packages() -> list[str]:
    """The packages that Docker needs here, by their names in Debian and Ubuntu."""
    apparmor = Path("/sys/module/apparmor/parameters/enabled")
    enabled = apparmor.exists() and apparmor.read_text().startswith("Y")
    return [
        "docker.io",
        "iptables",
        "ca-certificates",
        # If the kernel has AppArmor enabled, no container starts without its parser.
        *(["apparmor"] if enabled else []),
        *([] if has_systemd() or has_cgroups() else ["cgroupfs-mount"]),
    ]


def has_systemd() -> bool:
    return Path("/run/systemd/system").is_dir()


def has_cgroups() -> bool:
    """True if control groups are mounted, of either version."""
    return any(" cgroup" in line for line in Path("/proc/self/mountinfo").read_text().splitlines())


def start() -> None:
    """Starts Docker as a process that outlives this one, and waits until it answers."""
    if has_systemd():
        start_by_systemd()
        return
    if not has_cgroups() and shutil.which("cgroupfs-mount"):
        subprocess.run(["cgroupfs-mount"], check=False)
    # The package's installation may have started Docker.
    if wait(5):
        return
    remove_stale_pid_files(PID_FILES)
    options = dockerd_options()
    if start_by_hand(options):
        return
    if firewall_failed(log_text()) and start_by_hand([*options, *WITHOUT_NETWORK]):
        return
    fail(
        f"dockerd does not start: {last_words(log_text(), 1)} Its log is {log()}. A container "
        "without privileges cannot run Docker: there, give it the socket of a Docker outside, or "
        "name that in DOCKER_HOST."
    )


def dockerd_options() -> list[str]:
    """Raises SettingError."""
    allowed = "options as in a shell, with every quote closed"
    none: list[str] = []
    return Variables().parsed(
        "ASSAY_DOCKERD_OPTIONS", lambda words: shlex.split(words), none, allowed
    )


def start_by_systemd() -> None:
    say("starting Docker with systemctl")
    subprocess.run(["systemctl", "start", "docker"], check=False)
    if not wait(START_SECONDS):
        fail("Docker does not start. See `journalctl -u docker`, and run `make setup` again.")


def start_by_hand(options: list[str]) -> bool:
    """Starts dockerd in its own session. Returns False if it ends or does not answer in time."""
    say(f"starting {shlex.join(['dockerd', *options])} (its log: {log()})")
    with log().open("ab") as out:
        process = subprocess.Popen(
            ["dockerd", *options],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd="/",
            start_new_session=True,
        )
    return wait(START_SECONDS, process)


def wait(seconds: float, process: subprocess.Popen[bytes] | None = None) -> bool:
    """True as soon as Docker answers; False when `process` or the time ends."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if SOCKET.exists() and answers():
            return True
        if process is not None and process.poll() is not None:
            return False
        time.sleep(0.25)
    return False


def log() -> Path:
    return state_directory() / "dockerd.log"


def log_text() -> str:
    return log().read_text(errors="replace")


def firewall_failed(said: str) -> bool:
    """True if dockerd's output ends with a failure to set up a network."""
    end = " ".join(said.strip().splitlines()[-3:])
    return any(word in end for word in ("iptables", "nftables", "network controller"))


def remove_stale_pid_files(files: Mapping[Path, str]) -> None:
    """After a crash or in a copied machine, dockerd refuses to start over another's process id."""
    for path, program in files.items():
        if path.exists() and not runs(path.read_text().strip(), program):
            say(f"removing {path}, left by a {program} that no longer runs")
            path.unlink()


def runs(pid: str, program: str) -> bool:
    """True if process `pid` is that program and not a zombie."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return f"Name:\t{program}\n" in status and "\nState:\tZ" not in status


def ensure_images() -> None:
    """Builds missing sandbox images; installs debootstrap if one needs it."""
    try:
        make_images()
    except DebootstrapMissing:
        if not may_install():
            raise
        ubuntu = "Ubuntu" in platform.freedesktop_os_release().get("NAME", "")
        apt_install("debootstrap", *(["debian-archive-keyring"] if ubuntu else []))
        make_images()


def make_images() -> None:
    client = docker.from_env()
    for name in images.NAMES:
        started = time.monotonic()
        image = images.ensure(client, name, say)
        say(f"the sandbox image {image.reference} is there ({time.monotonic() - started:.1f} s)")


if __name__ == "__main__":
    main()
