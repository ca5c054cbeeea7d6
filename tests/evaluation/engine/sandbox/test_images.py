"""The sandbox images: their recipe, their content, and the messages of failed builds."""

import contextlib
import json
import re
import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import image_packages, images
from evaluation.engine.sandbox.docker import client
from evaluation.engine.sandbox.images import Image
from tests.support.commands import wait_for

pytestmark = pytest.mark.docker
MakeBase = Callable[..., str]
# Only the Python image: the JDK of the Java image takes a minute.
ENSURE = """
from evaluation.engine.sandbox import docker, images
images.ensure(docker.client(), "python", print)
"""


@pytest.fixture(scope="session")
def image() -> Image:
    return images.ensure(client())


@pytest.fixture
def base(image: Image, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBase]:
    """A function that makes a base image by running a command in ours, and sets ASSAY_BASE_IMAGE to
    it."""
    made: list[str] = []

    def make(command: str, repository: str = "assay-test-base") -> str:
        container = client().containers.run(
            image.reference, ["sh", "-ec", command], network_mode="none", detach=True
        )
        assert container.wait()["StatusCode"] == 0, container.logs()
        name = f"{repository}:{uuid.uuid4().hex[:12]}"
        container.commit(*name.rsplit(":", 1))
        container.remove()
        monkeypatch.setenv("ASSAY_BASE_IMAGE", name)
        made.extend([name, images.reference()])
        return name

    yield make
    for name in reversed(made):
        remove(name)


def remove(name: str) -> None:
    with contextlib.suppress(ImageNotFound):
        client().images.remove(name, force=True)


def run(reference: str, *command: str) -> str:
    """The output of a command in a container like a sandbox: no network, read-only root."""
    said = client().containers.run(
        reference, list(command), network_mode="none", read_only=True, remove=True
    )
    return said.decode()


def test_the_recipe_is_plain_data_that_decides_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert json.loads(json.dumps(images.recipe())) == images.recipe()
    before = images.reference()
    monkeypatch.setenv("ASSAY_BASE_IMAGE", "another:base")
    assert images.reference() != before
    monkeypatch.delenv("ASSAY_BASE_IMAGE")
    assert images.reference() == before


def test_an_unknown_image_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(SandboxError, match="images are python"):
        images.recipe("cobol")


def test_every_package_is_pinned_to_one_version_and_one_content() -> None:
    lines = [line for line in image_packages.PINNED.read_text().splitlines() if line[0] != "#"]
    assert all(re.fullmatch(r"\w+==[\d.]+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    assert {"radon", "mccabe", "pycodestyle"} <= {line.partition("==")[0] for line in lines}


def test_pip_trusts_this_machines_certificates_unless_told_which(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    bundle = tmp_path / "bundle.crt"
    assert image_packages.pip_environment(bundle=bundle) == {}
    bundle.touch()
    assert image_packages.pip_environment(bundle=bundle) == {"PIP_CERT": str(bundle)}
    monkeypatch.setenv("PIP_CERT", "another")
    assert image_packages.pip_environment(bundle=bundle) == {}


def test_a_docker_that_does_not_answer_is_named_with_a_remedy() -> None:
    dead = DockerClient(base_url="unix:///nonexistent.sock", version="1.41")
    with pytest.raises(SandboxError, match="make setup"):
        images.ensure(dead)


def test_the_command_names_the_remedy_in_one_line_when_docker_does_not_answer() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "evaluation.engine.sandbox.images"],
        env={"DOCKER_HOST": "unix:///nonexistent.sock"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert "make setup" in done.stderr


def test_the_second_call_finds_the_same_and_builds_nothing(
    image: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(images, "build")
    assert images.ensure(client()) == image
    assert image.digest.startswith("sha256:")


def test_nothing_in_the_image_raises_privileges_or_tells_of_its_making(image: Image) -> None:
    search = "-perm /6000 -o -name '*assay*' -o -name 'ca*.crt' -o -name '*.deb'"
    assert run(image.reference, "sh", "-c", f"find / -xdev {search}") == ""
    assert not client().images.get(image.reference).attrs["Config"]["Env"]


@pytest.fixture(scope="session")
def java() -> Image:
    return images.ensure(client(), "java")


JAVA = "/opt/assay/java/bin/java"


def test_candidates_get_a_java_17_without_what_reaches_into_memory_or_a_machine(
    java: Image,
) -> None:
    listed = run(java.reference, JAVA, "--list-modules").split()
    versions = {line.partition("@")[2].partition(".")[0] for line in listed}
    modules = {line.partition("@")[0] for line in listed}
    assert versions == {"17", ""}
    assert {"assay.harness", "java.sql", "java.xml"} <= modules
    assert not modules & {
        *("jdk.unsupported", "jdk.attach", "jdk.management", "java.instrument"),
        *("jdk.jdi", "jdk.compiler", "jdk.internal.vm.ci"),
    }


def test_either_java_starts_from_an_archive_of_loaded_classes(java: Image) -> None:
    compiler = "java -XX:SharedArchiveFile=compiler.jsa -cp $PWD/compiler.jar"
    both = f"{JAVA} -Xshare:on -version; cd /opt/assay/compiler; {compiler} -Xshare:on -version"
    said = run(java.reference, "sh", "-ec", f"exec 2>&1; {both}")
    assert (said.count('version "17.'), said.count("sharing")) == (2, 2), said


def test_nothing_in_the_image_for_java_raises_privileges_or_tells_of_its_making(
    java: Image,
) -> None:
    search = "-perm /6000 -o -name ca.crt -o -name '*.deb' -o -name src.zip"
    command = f"find / -xdev {search}; stat -c %a {JAVA}"
    assert run(java.reference, "sh", "-c", command) == "711\n"
    assert not client().images.get(java.reference).attrs["Config"]["Env"]


def test_every_module_of_the_library_is_compiled_ahead(image: Image) -> None:
    program = """
import importlib.util, pathlib, sysconfig
for root in sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"):
    for path in pathlib.Path(root).rglob("*.py"):
        if not pathlib.Path(importlib.util.cache_from_source(path)).exists():
            print(path)
"""
    stale = run(image.reference, "python3", "-c", program).split()
    # lib2to3 keeps broken files for its own tests; nothing else may lack its byte code.
    assert [path for path in stale if "lib2to3" not in path] == []


@pytest.mark.slow
def test_a_base_of_another_release_is_refused(base: MakeBase) -> None:
    base("sed -i 's/VERSION_ID=.*/VERSION_ID=11/' /etc/os-release")
    with pytest.raises(SandboxError, match="must be Debian 12"):
        images.ensure(client())


def test_a_named_base_that_cannot_be_pulled_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_BASE_IMAGE", "127.0.0.1:9/none:such")
    with pytest.raises(SandboxError, match=r"127\.0\.0\.1:9/none:such .*unset ASSAY_BASE_IMAGE"):
        images.ensure(client())


def test_without_debootstrap_and_registry_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(images, "DEFAULT_BASE", "127.0.0.1:9/none:such")
    monkeypatch.setattr(images.debootstrap, "SUITE", "another-so-that-no-base-is-there")
    monkeypatch.setattr(images.debootstrap.os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="apt-get install debootstrap"):
        images.ensure(client())


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def listens(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as connection:
        return connection.connect_ex((host, int(port))) == 0


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """The address of Debian's docker-registry, which Docker trusts on loopback without TLS."""
    if shutil.which("docker-registry") is None:
        installer = Path("scripts/apt_install.sh").resolve()
        subprocess.run(["sh", installer, "docker-registry"], capture_output=True, check=False)
    if shutil.which("docker-registry") is None:
        pytest.skip("docker-registry is not installed and cannot be (apt-get install as root)")
    address = f"127.0.0.1:{free_port()}"
    settings = tmp_path / "registry.json"
    storage = {"filesystem": {"rootdirectory": str(tmp_path / "data")}}
    settings.write_text(json.dumps({"version": 0.1, "storage": storage, "http": {"addr": address}}))
    log = (tmp_path / "registry.log").open("wb")
    with log, subprocess.Popen(["docker-registry", "serve", settings], stderr=log) as process:
        wait_for(lambda: listens(address), seconds=20)
        yield address
        process.terminate()


@pytest.mark.slow
def test_of_two_processes_one_pulls_the_base_and_builds_and_the_other_waits(
    base: MakeBase, registry: str
) -> None:
    name = base("touch /from-the-registry", f"{registry}/debian")
    assert "error" not in client().images.push(name)
    remove(name)
    command = [sys.executable, "-c", ENSURE]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum("installing" in output for output in said) == 1
    image = images.ensure(client())
    assert run(image.reference, "ls", "/from-the-registry") == "/from-the-registry\n"
    origin = client().images.get(image.reference).labels["org.assay.origin"]
    assert origin == client().images.get(name).attrs["RepoDigests"][0].rpartition("@")[2]


@pytest.mark.slow
def test_python_is_installed_where_the_base_lacks_it(base: MakeBase) -> None:
    base(
        "dpkg --purge --force-depends $(dpkg-query -W -f '${Package} ' '*python3*')"
        " && ! command -v python3 && mkdir -p /var/cache/apt/archives/partial"
    )
    image = images.ensure(client())
    assert run(image.reference, "python3", "-c", "print(6 * 7)") == "42\n"
