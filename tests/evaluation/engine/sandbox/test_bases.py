"""Tests of the image that a dataset's image name selects, and of adding our own Python to any
image."""

import socket
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError, SandboxError, SettingError
from evaluation.engine.sandbox import bases, debootstrap, images, layout
from evaluation.engine.sandbox.bases import Base, base_for, mapped, mapping_in
from evaluation.engine.sandbox.docker import client
from evaluation.engine.sandbox.interpreter import with_supervisor
from evaluation.engine.variables import Variables
from tests.evaluation.engine.sandbox import test_images
from tests.support.tars import tar_of

registry = test_images.registry

Import = Callable[..., str]
NAMES = st.from_regex(r"[a-z0-9]{1,8}(/[a-z]{1,8})?(:[a-z0-9.-]{1,8})?", fullmatch=True)
PATTERNS = st.one_of(NAMES, NAMES.map(lambda name: f"{name}*"), st.just("*"))
SPACE = st.sampled_from(["", " ", "\n", "\t "])


def mapping_of(text: str) -> dict[str, str]:
    return mapping_in(Variables({"ASSAY_BASE_IMAGES": text}))


@given(st.dictionaries(PATTERNS, NAMES, max_size=4), SPACE, st.booleans())
def test_a_mapping_is_read_as_it_is_written(
    mapping: dict[str, str], space: str, ends: bool
) -> None:
    entries = [f"{space}{name}{space}={space}{image}{space}" for name, image in mapping.items()]
    assert mapping_of(",".join(entries) + "," * ends) == mapping


@given(st.text(max_size=60))
def test_a_mapping_of_anything_is_read_or_refused_by_a_part_of_it(text: str) -> None:
    try:
        mapping_of(text)
    except SettingError as error:
        parts = [part.strip() for part in text.split(",")]
        assert any(str(error).startswith(f"ASSAY_BASE_IMAGES has {part!r}: ") for part in parts)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("python:3=my/python, maven", "'maven'"),
        ("python:3=", "'python:3='"),
        ("=my/python", "'=my/python'"),
        ("py*thon=my/python", "'py*thon=my/python'"),
        ("python=a,python=b", "'python=b'"),
    ],
)
def test_an_error_names_the_wrong_part(text: str, wrong: str) -> None:
    with pytest.raises(SettingError) as caught:
        mapping_of(text)
    assert str(caught.value) == (
        f"ASSAY_BASE_IMAGES has {wrong}: each part must be name=image, where * may end the name, "
        "and each name once."
    )


def test_the_name_itself_goes_before_its_longest_beginning_before_all() -> None:
    mapping = mapping_of("*=any, python:*=some, python:3.1*=few, python:3.11=one")
    found = {name: mapped(name, mapping) for name in ("python:3.11", "python:3.12", "python:2")}
    assert found == {"python:3.11": "one", "python:3.12": "few", "python:2": "some"}
    assert mapped("maven:3", mapping) == "any"
    assert mapped("maven:3", {"maven": "another", "maven:3.9*": "another"}) is None


@pytest.mark.parametrize(
    ("name", "stand_in"),
    [
        ("python:3.11.11-slim-bookworm", "assay-base-python"),
        ("docker.io/library/python", "assay-base-python"),
        ("maven:3.9.9-eclipse-temurin-23-alpine", "assay-base-java"),
        ("eclipse-temurin:17@sha256:00", "assay-base-java"),
        ("example.org/python:3", None),
        ("pythonic:3", None),
        ("node:20", None),
    ],
)
def test_only_official_images_have_a_stand_in(name: str, stand_in: str | None) -> None:
    found = bases.stand_in_for(name)
    assert (found and found.name) == stand_in


def test_the_recipe_decides_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bases.reference(bases.PYTHON)
    assert bases.reference(bases.JAVA) != before
    monkeypatch.setenv("ASSAY_BASE_IMAGE", "another:base")
    assert bases.reference(bases.PYTHON) != before


def made(name: str) -> Base:
    return base_for(client(), f"assay-test/{name}", {"assay-test/*": name}, print)


@pytest.fixture(scope="module")
def python() -> Base:
    """Our stand-in for Python; made if it is missing, which takes a minute."""
    return made("assay-base-python")


@pytest.fixture(scope="module")
def java() -> Base:
    """Our stand-in for Java; made if it is missing, which takes a minute."""
    return made("assay-base-java")


@pytest.fixture
def importing() -> Iterator[Import]:
    """A function that makes an image of one empty file, with settings."""
    names: list[str] = []

    def make(*settings: str, name: str = "") -> str:
        name = name or f"assay-test-empty:{uuid.uuid4().hex[:12]}"
        repository, _, tag = name.rpartition(":")
        client().api.import_image_from_data(tar_of({"empty": b""}), repository, tag, [*settings])
        names.append(name)
        return name

    yield make
    for name in names:
        test_images.remove(name)


@pytest.mark.docker
def test_an_image_that_docker_has_is_taken_with_its_variables(importing: Import) -> None:
    name = importing("ENV PATH=/opt/own:/bin", 'ENV OPTIONS="a=b c"')
    digest = client().images.get(name).id
    environment = {"PATH": "/opt/own:/bin", "OPTIONS": "a=b c"}
    assert base_for(client(), name, {}) == Base(name, name, digest, "present", environment)
    instead = base_for(client(), "node:20", {"node:*": name})
    assert instead == Base("node:20", name, digest, "mapped", environment)
    assert str(instead) == f"node:20: {name} (mapped, {digest})"


@pytest.mark.docker
def test_an_image_is_pulled_from_the_registry_that_its_name_has(
    importing: Import, registry: str
) -> None:
    name = importing(name=f"{registry}/somebody/base:1")
    assert "error" not in client().images.push(name)
    digest = client().images.get(name).id
    test_images.remove(name)
    found = base_for(client(), name, {})
    assert (found.image, found.digest, found.origin) == (name, digest, "pulled")


class Refusing(BaseHTTPRequestHandler):
    """A registry without any image."""

    def do_GET(self) -> None:
        known = self.path == "/v2/"
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        unknown = b'{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}'
        self.wfile.write(b"{}" if known else unknown)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None: ...


@contextmanager
def empty_registry() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.docker
def test_a_registry_that_has_no_such_image_is_told_from_one_that_is_away() -> None:
    with empty_registry() as address:
        refusal = images.try_pull(client(), f"{address}/python:3", print)
    silence = images.try_pull(client(), f"{address}/python:3", print)
    assert refusal is not None
    assert silence is not None
    assert (bases._refused(refusal), bases._refused(silence)) == (True, False)


@pytest.mark.docker
def test_an_image_that_is_nowhere_is_an_error_that_says_what_to_do() -> None:
    name = f"127.0.0.1:{test_images.free_port()}/none:such"
    with pytest.raises(BenchmarkError, match=f"{name} is not .*ASSAY_BASE_IMAGES: {name}=IMAGE"):
        base_for(client(), name, {})
    with pytest.raises(BenchmarkError, match=f"{name}, which ASSAY_BASE_IMAGES names for python:3"):
        base_for(client(), "python:3", {"python:*": name})


def test_what_is_no_name_of_an_image_is_an_error() -> None:
    for name in ("", "two words", "-rf", "x\n"):
        with pytest.raises(BenchmarkError, match="is not the name of an image"):
            base_for(client(), name, {})


@pytest.mark.docker
def test_a_registry_that_never_answers_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "REGISTRY_SECONDS", 1)
    said: list[str] = []
    started = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        name = f"127.0.0.1:{silent.getsockname()[1]}/none:such"
        for _ in range(2):
            with pytest.raises(BenchmarkError, match=name):
                base_for(client(), name, {}, said.append)
    assert said == [f"pulling {name}"]
    # Without the shorter timeout Docker itself gives up, much later.
    assert time.monotonic() - started < 10 * images.REGISTRY_SECONDS


def shell(image: str, command: str) -> str:
    said = client().containers.run(image, ["sh", "-ec", command], network_mode="none", remove=True)
    return str(said.decode())


EXTENSION = """
mkdir /tmp/made; cd /tmp/made; git init -q .
printf '#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "made", 0, -1, 0};
PyMODINIT_FUNC PyInit_made(void) { return PyModule_Create(&module); }' >made.c
printf 'from setuptools import Extension, setup
setup(name="made", ext_modules=[Extension("made", ["made.c"])])' >setup.py
pip install --no-index --no-build-isolation . >/dev/null
cd /; python -c 'import made, sys; print(made.__file__, sys.version_info[:2])'
"""


@pytest.mark.docker
def test_pip_installs_for_all_and_compiles_in_the_stand_in_for_python(python: Base) -> None:
    assert python.origin == "mapped"
    assert python.image == bases.reference(bases.PYTHON)
    said = shell(python.image, EXTENSION)
    assert said.startswith("/opt/venv/lib/python3.11/site-packages/made.")
    assert said.endswith("(3, 11)\n")


@pytest.mark.docker
def test_nothing_of_this_machine_stays_in_a_stand_in(python: Base, java: Base) -> None:
    for base in (python, java):
        places = "/var/assay-build /var/lib/apt/lists/* /var/cache/apt/archives/*.deb"
        assert shell(base.image, f"ls -d {places} 2>/dev/null || true") == ""
        assert not {name.lower() for name in base.environment} & {*debootstrap.PROXIES}


@pytest.fixture
def small() -> Iterator[bases.StandIn]:
    """A stand-in that takes seconds to make, under a unique name."""
    name = f"assay-base-test-{uuid.uuid4().hex[:8]}"
    made = bases.StandIn(name, "nothing", (), ("netbase",), {"PATH": "/bin"}, 160)
    yield made
    test_images.remove(bases.reference(made))


# Making one takes as long as several tests; whoever sets a machine up makes larger ones.
@pytest.mark.slow
@pytest.mark.docker
def test_of_two_that_want_a_stand_in_one_makes_it_and_the_other_waits(small: bases.StandIn) -> None:
    said: list[str] = []
    with ThreadPoolExecutor(2) as both:
        found = [both.submit(bases.ensure, client(), small, said.append) for _ in range(2)]
    assert {future.result() for future in found} == {bases.reference(small)}
    assert sum(line.startswith("making") for line in said) == 1


@pytest.mark.slow
@pytest.mark.docker
def test_a_stand_in_that_cannot_be_made_is_an_error_with_the_reason(small: bases.StandIn) -> None:
    wanting = replace(small, packages=("there-is-no-such-package",))
    with pytest.raises(SandboxError, match="there-is-no-such-package.*docs/operators/proxies.md"):
        bases.ensure(client(), wanting, print)
    assert not images.digest(client(), bases.reference(wanting))


MODULES = (
    "ast hashlib importlib inspect json random resource select socket subprocess tempfile zlib"
)
LOOK = f"""
import sys, threading
import {", ".join(MODULES.split())}
threading.Thread(target=print, args=("a thread",)).start()
print(sys.executable, sys.version_info[:2])
print([path for path in sys.path if path and not path.startswith("/opt/assay/python/")])
maps = [line.split() for line in open("/proc/self/maps") if "/" in line]
print([line[5] for line in maps if "x" in line[1] and not line[5].startswith("/opt/assay/python/")])
"""


def looked(image: str, *options: str) -> list[str]:
    command = [*layout.INTERPRETER, *options, "-c", LOOK]
    said = client().containers.run(
        image, command, entrypoint=[], network_mode="none", read_only=True, remove=True
    )
    return sorted(said.decode().splitlines())


@pytest.mark.docker
def test_our_python_runs_by_itself_where_there_is_nothing_else_and_settings_stay(
    importing: Import, python: Base
) -> None:
    settings = ("USER 1000", "WORKDIR /empty-too", 'ENTRYPOINT ["/none"]', "VOLUME /data")
    bare = with_supervisor(client(), base_for(client(), importing(*settings), {}))
    expected = sorted(["a thread", "/opt/assay/python/bin/python3.11 (3, 11)", "[]", "[]"])
    for image in (bare, with_supervisor(client(), python)):
        assert looked(image, "-I", "-S", "-B") == expected
        assert looked(image) == expected
    kept = client().images.get(bare).attrs["Config"]
    test_images.remove(bare)
    found = [kept[name] for name in ("User", "WorkingDir", "Entrypoint", "Cmd")]
    assert found == ["1000", "/empty-too", ["/none"], None]


@pytest.mark.docker
def test_our_python_is_one_layer_that_changes_nothing_of_the_base(python: Base) -> None:
    image = with_supervisor(client(), python)
    assert with_supervisor(client(), python) == image
    before, after = (client().images.get(name).attrs for name in (python.image, image))
    assert after["RootFS"]["Layers"][:-1] == before["RootFS"]["Layers"]
    for setting in ("Env", "Cmd", "Entrypoint", "User", "WorkingDir"):
        assert after["Config"][setting] == before["Config"][setting]


@pytest.mark.docker
def test_our_python_belongs_to_root_and_can_be_read_by_all_and_changed_by_nobody(
    python: Base,
) -> None:
    image = with_supervisor(client(), python)
    others = "! -user root -o ! -perm -0444 -o -type d ! -perm -0555 -o -perm /7022 ! -type l"
    compiled = "find /opt/assay -name '*.pyc' | wc -l"
    command, count = shell(
        image, f"find /opt/assay {others}; command -v python; {compiled}"
    ).splitlines()
    assert (command, int(count) > 300) == ("/opt/venv/bin/python", True)
