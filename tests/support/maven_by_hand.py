"""A Java project's tests as a person would run them: in a plain container, with Maven offline.

Uses nothing of the engine except the operator's settings of the network."""

import io
import os
import re
import tarfile
import time
from collections.abc import Iterator, Mapping
from typing import Self
from xml.etree import ElementTree

import docker
import docker.errors

from evaluation.engine.preparation import network
from evaluation.engine.preparation.options import Options
from tests.support.tars import tar_of

_PLACE = "/by-hand"
_TREE = f"{_PLACE}/project"
# Elements that Surefire writes into a test that did not simply pass.
_RED = re.compile("failure|error|flaky.*|rerun.*|skipped|system-err")


class MavenByHand:
    """A checkout in a separate container; use as a context manager.

    `untouched` are the tests that passed while Maven fetched its artifacts with network; then the
    container loses its network. `seconds` has the duration of each run after that."""

    def __init__(self, image: str, tree: bytes) -> None:
        """`tree` is a tar of the checkout, all of it below `project/`."""
        options = Options.from_environment(os.environ)
        self.seconds: list[float] = []
        self._client = docker.from_env(timeout=600)
        self._container = self._client.containers.run(
            image,
            ["tail", "-f", "/dev/null"],
            entrypoint=[],
            user="0",
            detach=True,
            init=True,
            network_mode=options.build_network,
        )
        try:
            self._put("/", {_PLACE: None, **network.build_files(options.network)})
            assert self._container.put_archive(_PLACE, tree)
            reached = network.build_environment(options.network, {})
            self.untouched = self._passed("mvn -B -q test", reached)
            if options.build_network != "host":
                self._client.networks.get(options.build_network).disconnect(self._container)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._container.remove(force=True, v=True)
        self._client.close()

    def passed(self, path: str, text: str) -> frozenset[str]:
        """The tests that pass with this text in that file, which is put back afterwards."""
        (before,) = self._files(f"{_TREE}/{path}")
        self._put(_TREE, {path: text.encode("utf-8")})
        began = time.monotonic()
        found = self._passed("mvn -B -q -o test", {})
        self.seconds.append(time.monotonic() - began)
        self._put(_TREE, {path: before})
        return found

    def _passed(self, command: str, environment: dict[str, str]) -> frozenset[str]:
        """The tests that pass under the command. It deletes the output of earlier runs first."""
        self._container.exec_run(
            ["sh", "-c", f"rm -rf target; {command}"], workdir=_TREE, environment=environment
        )
        reports = self._files(f"{_TREE}/target/surefire-reports", end=".xml")
        return frozenset(test for report in reports for test in _green(report))

    def _files(self, path: str, end: str = "") -> list[bytes]:
        """The contents of a file, or of the files in a folder whose names end in `end`; [] if there
        is none."""
        try:
            parts, _ = self._container.get_archive(path)
        except docker.errors.NotFound:
            return []
        with tarfile.open(fileobj=io.BytesIO(b"".join(parts))) as tar:
            opened = [tar.extractfile(each) for each in tar if each.name.endswith(end)]
            return [file.read() for file in opened if file is not None]

    def _put(self, folder: str, files: Mapping[str, bytes | None]) -> None:
        """Writes contents by path, or makes a folder for None; with the current time, as an editor
        would."""
        assert self._container.put_archive(folder, tar_of(files, 0o755))


def _green(report: bytes) -> Iterator[str]:
    for case in ElementTree.fromstring(report).iter("testcase"):
        if not any(_RED.fullmatch(child.tag) for child in case):
            yield f"{case.get('classname')}::{case.get('name')}"
