"""RealCode as a person would do it: a checkout, the build command, a changed file, the tests.

Follows the description of the benchmark's authors, and shares no judging with the engine: it
extracts the body from a generation separately, and reads results from pytest's JUnit XML."""

import io
import re
import subprocess
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import docker

from evaluation.engine.preparation import network
from evaluation.engine.variables import Variables
from tests.support.tars import tar_of

_TREE, _BUILT, _REPORT = "/srv/project", "/srv/built", "/srv/report.xml"
_SECONDS = 300
_CASE, _ILL = "testcase", ("failure", "error", "skipped")
# Restores the tree as it was built, whatever the run before left behind.
_ANEW = f"rm -rf {_TREE} {_REPORT} && cp -a {_BUILT} {_TREE}"


class Checkout:
    """A checkout of a commit in a plain container of the image. The build has network access, which
    is then removed. Use as a context manager."""

    def __init__(self, place: str, commit: str, image: str, build: str, scratch: Path) -> None:
        self._client = docker.from_env(timeout=3000)
        self._container = self._client.containers.run(
            image, ["sleep", "infinity"], entrypoint=[], detach=True, init=True, mem_limit="10g"
        )
        try:
            self._put("/srv", _packed(_cloned(place, commit, scratch / "checkout")))
            self._build(build)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._container.remove(force=True, v=True)
        self._client.close()

    def _build(self, command: str) -> None:
        options = network.options_from(Variables())
        given: list[str] = self._container.attrs["Config"]["Env"] or []
        own = {name: value for name, _, value in (line.partition("=") for line in given)}
        self._put("/", tar_of(network.build_files(options)))
        code, said = self._run(command, network.build_environment(options, own))
        assert code == 0, said
        assert self._run(f"cp -a {_TREE} {_BUILT}")[0] == 0
        self._client.networks.get("bridge").disconnect(self._container)

    def passed(self, command: str, files: Mapping[str, str] | None = None) -> frozenset[str]:
        """The tests that pass under the command with these texts in these files; none if pytest did
        not write its report."""
        assert self._run(_ANEW, folder="/")[0] == 0
        written = {f"{_TREE}/{path}": text.encode() for path, text in (files or {}).items()}
        self._put("/", tar_of(written))
        options = {"PYTHONPATH": ".", "PYTEST_ADDOPTS": f"--junit-xml={_REPORT}"}
        self._run(f"exec timeout -s KILL {_SECONDS} {command}", options)
        code, report = self._run(f"cat {_REPORT}")
        return _passed(report) if code == 0 else frozenset()

    def _run(
        self, command: str, environment: Mapping[str, str] | None = None, folder: str = _TREE
    ) -> tuple[int, str]:
        code, said = self._container.exec_run(
            ["/bin/sh", "-c", command], environment=dict(environment or {}), workdir=folder
        )
        assert isinstance(said, bytes)
        return code or 0, said.decode("utf-8", "replace")

    def _put(self, folder: str, tar: bytes) -> None:
        self._container.put_archive(folder, tar)


def _cloned(place: str, commit: str, folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", place, folder], check=True)
    subprocess.run(["git", "-C", folder, "checkout", "--quiet", commit], check=True)
    return folder


def _packed(folder: Path) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        tar.add(folder, arcname=Path(_TREE).name)
    return stream.getvalue()


def _passed(report: str) -> frozenset[str]:
    """The tests that passed. A test whose teardown failed has two entries in the report."""
    cases = [
        (f"{x.get('classname')}::{x.get('name')}", x) for x in ET.fromstring(report).iter(_CASE)
    ]
    ill = {id for id, case in cases if any(case.find(how) is not None for how in _ILL)}
    return frozenset(id for id, _ in cases) - ill


def file_under_test(meta: Mapping[str, Any], generation: str) -> str:
    """The file under test with the generation in it, by the steps of the benchmark's document."""
    return joined(meta, body(meta, generation))


def joined(meta: Mapping[str, Any], body: str) -> str:
    left, right = meta["left_context"], meta["right_context"]
    return "\n".join([left, body, right.rstrip("\n")])


def body(meta: Mapping[str, Any], generation: str) -> str:
    """The body in a generation, by the document's first two steps. The third step, to cut at lines
    that are indented less, finds none after the second."""
    fenced = re.search("```python(.*?)```", generation, re.DOTALL)
    lines = (fenced[1] if fenced else generation).split("\n")
    name = re.escape(meta["intent"].removesuffix("[function]"))
    signature = re.compile(rf"\s*(async\s+)?(def|class)\s+{name}\b")
    defined = [number for number, line in enumerate(lines) if signature.match(line)]
    lines = lines[defined[0] + 1 :] if defined else lines
    least = min((_indent(line) for line in lines if line.strip()), default=0)
    wanted = next(_indent(line) for line in meta["gt"].split("\n") if line.strip())
    moved = [" " * wanted + line[least:] if line.strip() else line for line in lines]
    return "\n".join(moved).rstrip() + "\n\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
