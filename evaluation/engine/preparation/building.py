"""A project in the container in which it is built, up to what an image is made of."""

from __future__ import annotations

import io
import json
import shlex
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import IO

from evaluation.engine.errors import BenchmarkError, SandboxError
from evaluation.engine.preparation import network, sources, texts, withholding
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.withholding import Copy
from evaluation.engine.records import Json, Project
from evaluation.engine.sandbox import layout
from evaluation.engine.sandbox.project_images import KILLED, Ended, Workshop

JAVA = "surefire"
_STORE = f"{layout.WORKSPACE}/.assay"
_JOB = f"{_STORE}/job.json"
_CACHE = f"{_STORE}/byte-code"
_MAVEN = f"{layout.HOME}/.m2"
# What a run of tests leaves in a tree, and what tells of the past.
_LEFT_NAMES = (".git", "__pycache__", ".pytest_cache", "report_pytest.json")
_LEFT_ENDS = ("/target/surefire-reports",)
# Which loads tests and runs none.
_COLLECTING = "--collect-only -q -p no:cacheprovider"
_COMPILING = """
for python in python python3; do
    if command -v $python >/dev/null; then $python -m compileall -q "$PWD"; exit; fi
done
"""
# By these Maven believes that an artifact is there for one mirror alone, or is not there.
_MAVEN_NAMES = ("_remote.repositories", "resolver-status.properties")
_MAVEN_ENDS = (".lastUpdated",)
_SETTINGS = "<settings><offline>true</offline><interactiveMode>false</interactiveMode></settings>\n"
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - of the container
# Our own steps, which never take long.
_STEP_SECONDS = 600
_FOUND_BYTES = 16 * 2**20
_WORDS = 2000


class Building:
    """The steps of a build in their order. All raise SandboxError.

    `stopped` is asked now and then whether to give up.
    """

    def __init__(
        self,
        workshop: Workshop,
        project: Project,
        options: Options,
        base_environment: Mapping[str, str],
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._workshop, self._project, self._options = workshop, project, options
        self._stopped = stopped
        self.root = f"{layout.WORKSPACE}/{sources.name(project)}"
        own = network.build_environment(options.network, dict(base_environment))
        self._environment = _at_home(project, {**base_environment, **own}) | {
            "HOME": layout.HOME,
            "PIP_NO_CACHE_DIR": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_ROOT_USER_ACTION": "ignore",
            "DEBIAN_FRONTEND": "noninteractive",
        }

    def build(self, tree: IO[bytes]) -> None:
        """Unpacks the sources, a tar, and builds them. Raises BenchmarkError with the build's
        last lines where it fails or takes too long."""
        given = network.build_files(self._options.network)
        self._put({layout.HOME: None, _STORE: None, **given})
        self._workshop.put("/", tree)
        self._required(self._project.build_command)
        if self._project.requires:
            self._required(_installing(self._project.requires))
        if self._project.report == JAVA:
            self._fetch_artifacts()

    def _fetch_artifacts(self) -> None:
        """Runs the tests once with network: Maven fetches what they need when they need it."""
        for command in self._project.test_commands:
            ended = self._shell(command)
            if ended.late:
                raise self._failed(command, ended)

    def clean(self, withheld: Sequence[str]) -> None:
        """Removes what the build was given, its temporary files, git's history, the leavings
        of runs and, from the tree, the withheld files."""
        java = self._project.report == JAVA
        sweeps: list[Json] = [[self.root, [*_LEFT_NAMES], [*_LEFT_ENDS]]]
        if java:
            sweeps.append([_MAVEN, [*_MAVEN_NAMES], [*_MAVEN_ENDS]])
        self._do(
            "clean",
            paths=[
                network.BUILD,
                *(f"{self.root}/{path}" for path in withheld),
                f"{layout.HOME}/.cache/pip",
            ],
            emptied=[*_TEMPORARY],
            sweeps=sweeps,
            readable=[layout.HOME],
        )
        if java:
            self._put({f"{_MAVEN}/settings.xml": _SETTINGS.encode()})

    def copies(self, withheld: Mapping[str, bytes]) -> list[Copy]:
        """Copies of the withheld files anywhere in the container."""
        apart = [f"{layout.OURS}/python", *(f"{self.root}/{path}" for path in withheld)]
        wanted = withholding.wanted(withheld)
        found = self._do("search", root="/", apart=[*apart], **wanted)
        with self._believing():
            return withholding.copies(found)

    def take(self, copies: Sequence[Copy]) -> None:
        """Takes copies away, to where no image has them."""
        self._do("take", copies=[[copy.path, [*copy.members]] for copy in copies])

    def give_back(self, copies: Sequence[Copy]) -> None:
        self._do("return", copies=[[copy.path, [*copy.members]] for copy in copies])

    def pack(self) -> int:
        """Packs the tree to where the supervisor looks for it; what it takes unpacked."""
        ended = self._inside("packing", "pack", self.root, layout.PACK)
        with self._believing():
            return int(json.loads(ended.said)["bytes"])

    def add_byte_code(self) -> int | None:
        """Adds byte code of the tree's Python files to what was packed, the tests' as pytest
        makes it; what the tree takes then. Without it every run, each in a container of its own,
        would make it anew. None where that takes too long, which ends the container."""
        own = {
            "PYTHONDONTWRITEBYTECODE": "",
            # Out of the way, so that none is made of copies that had to stay elsewhere.
            "PYTHONPYCACHEPREFIX": _CACHE,
            "PYTHONPATH": ".",
            "PYTEST_ADDOPTS": _COLLECTING,
        }
        for command in (_COMPILING, *self._project.test_commands):
            # That it may fail is no matter: the withheld files are missing.
            if self._shell(command, _STEP_SECONDS, own).late:
                return None
        self._do("clean", paths=[], emptied=[*_TEMPORARY], sweeps=[], readable=[layout.HOME])
        ended = self._inside("packing", "add-byte-code", f"{_CACHE}{self.root}", layout.PACK)
        with self._believing():
            return int(json.loads(ended.said)["bytes"])

    def run_environment(self, base_environment: Mapping[str, str]) -> dict[str, str]:
        """The variables that tests of this project run with, and `base_environment`'s."""
        return _at_home(self._project, base_environment)

    def _put(self, contents: Mapping[str, bytes | None]) -> None:
        """Files, and folders where there is no content, with the folders that they are in."""
        self._workshop.put("/", _tar(contents))

    def _required(self, command: str) -> None:
        if not command.strip():
            return
        ended = self._shell(command)
        if ended.late or ended.exit_code:
            raise self._failed(command, ended)

    def _shell(
        self, command: str, seconds: float | None = None, own: Mapping[str, str] | None = None
    ) -> Ended:
        return self._workshop.run(
            ["/bin/sh", "-c", command],
            seconds=seconds or self._options.build_seconds,
            environment={**self._environment, **(own or {})},
            folder=self.root,
            stopped=self._stopped,
        )

    def _failed(self, command: str, ended: Ended) -> BenchmarkError:
        how = f"ended with exit code {ended.exit_code}"
        if ended.late:
            how = f"took longer than {self._options.build_seconds:.0f} s"
        elif ended.exit_code == KILLED:
            how += " (killed, perhaps for want of memory)"
        return BenchmarkError(
            f"{self._project.repository} cannot be built: `{command}` {how}. It said at last: "
            f"{ended.said[-_WORDS:].strip()}"
        )

    def _do(self, what: str, **job: Json) -> list[list[object]]:
        """Has inside.searching do something; what it says of it."""
        told = json.dumps({"do": what, "store": _STORE, **job}).encode()
        self._put({_JOB: told})
        ended = self._inside("searching", _JOB)
        with self._believing():
            return [list(each) for each in json.loads(ended.said)]

    @contextmanager
    def _believing(self) -> Iterator[None]:
        """Takes an answer of ours from a container in which a build ran as root. Raises
        BenchmarkError where it is none of ours."""
        try:
            yield
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BenchmarkError(
                f"{self._project.repository}: what its build left behind answers for our own "
                "programs, so it is not prepared."
            ) from error

    def _inside(self, module: str, *words: str) -> Ended:
        """Runs a module of sandbox.inside as a program of its own."""
        source = (files("evaluation.engine.sandbox.inside") / f"{module}.py").read_text("utf-8")
        command = [*layout.INTERPRETER, "-I", "-S", "-B", "-c", source, *words]
        ended = self._workshop.run(command, seconds=_STEP_SECONDS, keep=_FOUND_BYTES)
        if ended.late or ended.exit_code:
            # What it said is not quoted: this is shown to entrants, and a build may have spoken.
            how = "took too long" if ended.late else f"exit code {ended.exit_code}"
            raise SandboxError(texts.STEP_FAILED(repository=self._project.repository, how=how))
        return ended


def _at_home(project: Project, environment: Mapping[str, str]) -> dict[str, str]:
    """With Maven's settings and artifacts where they lie in the image: Java takes a home from
    the list of users, in which whoever runs tests does not stand."""
    if project.report != JAVA:
        return dict(environment)
    options = f"{environment.get('MAVEN_OPTS', '')} -Duser.home={layout.HOME}".strip()
    return {**environment, "MAVEN_OPTS": options}


def _installing(packages: Sequence[str]) -> str:
    """By the pip that the build command finds."""
    words = shlex.join(["install", "--", *packages])
    return f"if command -v pip >/dev/null; then pip {words}; else python3 -m pip {words}; fi"


def _tar(contents: Mapping[str, bytes | None]) -> bytes:
    buffer = io.BytesIO()
    folders = {layout.OURS, *(path for path, data in contents.items() if data is None)}
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for folder in sorted(folders):
            mode = 0o700 if folder == _STORE else 0o755
            tar.addfile(_entry(folder, tarfile.DIRTYPE, mode))
        for path, data in contents.items():
            if data is not None:
                member = _entry(path, tarfile.REGTYPE, 0o644)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def _entry(path: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path.lstrip("/"))
    member.type, member.mode = kind, mode
    return member
