"""The steps of a project's build inside its container."""

import io
import json
import shlex
import tarfile
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import IO, Any, Literal, TypeVar

from evaluation.engine.errors import BenchmarkError, SandboxError
from evaluation.engine.preparation import network, sources, texts, withholding
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.withholding import Copy
from evaluation.engine.records import Json, Project
from evaluation.engine.sandbox import layout
from evaluation.engine.sandbox.inside import trees
from evaluation.engine.sandbox.project_images import KILLED, Ended, Workshop

_T = TypeVar("_T")
JAVA = "surefire"
_STORE = f"{layout.WORKSPACE}/.assay"
_JOB = f"{_STORE}/job.json"
_CACHE = f"{_STORE}/byte-code"
_MAVEN = f"{layout.HOME}/.m2"
# Files that test runs leave in a tree, and git's history.
_LEFT_NAMES = (".git", "__pycache__", ".pytest_cache", "report_pytest.json")
_LEFT_ENDS = ("/target/surefire-reports",)
# No byte code of tests: the plugin compiles these, and a candidate could read it.
_COMPILING = f"""
for python in python python3; do
    if command -v $python >/dev/null; then
        $python -m compileall -q -x {shlex.quote(trees.OF_TESTS)} .
        exit
    fi
done
"""
# With these files Maven ties an artifact to one mirror, or regards it as missing.
_MAVEN_NAMES = ("_remote.repositories", "resolver-status.properties")
_MAVEN_ENDS = (".lastUpdated",)
_SETTINGS = "<settings><offline>true</offline><interactiveMode>false</interactiveMode></settings>\n"
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - of the container
# Timeout of each step that is not the project's own.
_STEP_SECONDS = 600
_FOUND_BYTES = 16 * 2**20
_WORDS = 2000


class Building:
    """The steps of a build in their order. All raise SandboxError. `stopped` ends the build."""

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
        of_network = network.build_environment(options.network, base_environment)
        self._environment = at_home(project, {**base_environment, **of_network}) | {
            "HOME": layout.HOME,
            "DEBIAN_FRONTEND": "noninteractive",
            "PIP_NO_CACHE_DIR": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_ROOT_USER_ACTION": "ignore",
        }

    def build(self, tree: IO[bytes]) -> None:
        """Unpacks the sources, a tar, and builds them. Raises BenchmarkError with the end of the
        output if the build fails or exceeds its time limit."""
        project, network_files = self._project, network.build_files(self._options.network)
        self._put({layout.HOME: None, _STORE: None, **network_files})
        self._workshop.put("/", tree)
        commands = [project.build_command]
        if project.requires:
            pip = shlex.join(["install", "--", *project.requires])
            commands.append(
                f"if command -v pip >/dev/null; then pip {pip}; else python3 -m pip {pip}; fi"
            )
        commands = [*filter(str.strip, commands)]
        # With network, because Maven fetches some artifacts only during tests. Tests may fail.
        tests = project.test_commands if project.report == JAVA else ()
        for number, command in enumerate([*commands, *tests]):
            ended = self._shell(command)
            how = f"ended with exit code {ended.exit_code}"
            if ended.late:
                how = f"took longer than {self._options.build_seconds:.0f} s"
            elif number >= len(commands) or not ended.exit_code:
                continue
            elif ended.exit_code == KILLED:
                how += " (killed, perhaps because memory ran out)"
            raise BenchmarkError(
                f"{project.repository} cannot be built: `{command}` {how}. Its last output: "
                f"{ended.said[-_WORDS:].strip()}"
            )

    def clean(self, withheld: Sequence[str]) -> None:
        """Removes build settings, temporary files, git's history, the files that test runs leave,
        and the tree's withheld files."""
        java = self._project.report == JAVA
        sweeps: list[Json] = [[self.root, [*_LEFT_NAMES], [*_LEFT_ENDS]]]
        if java:
            sweeps.append([_MAVEN, [*_MAVEN_NAMES], [*_MAVEN_ENDS]])
        paths: list[Json] = [network.BUILD, f"{layout.HOME}/.cache/pip"]
        paths += [f"{self.root}/{path}" for path in withheld]
        job: dict[str, Json] = {"paths": paths, "emptied": [*_TEMPORARY], "sweeps": sweeps}
        self._do("clean", list, **job, readable=[layout.HOME])
        if java:
            self._put({f"{_MAVEN}/settings.xml": _SETTINGS.encode()})

    def copies(self, texts: Mapping[str, str]) -> list[Copy]:
        """Copies of the tree's files in the whole container. Raises BenchmarkError for a malformed
        answer."""
        apart = [f"{layout.OURS}/python", *(f"{self.root}/{path}" for path in texts)]
        data = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
        job = withholding.wanted(data)
        return self._do("search", withholding.copies, root="/", apart=[*apart], **job)

    def move(self, what: Literal["take", "return"], copies: Sequence[Copy]) -> None:
        """Takes the copies to a volume, which no image includes, or returns them."""
        self._do(what, list, copies=[[copy.path, [*copy.members]] for copy in copies])

    def pack(self) -> int:
        """Returns the unpacked size in bytes. Raises BenchmarkError for a malformed answer."""
        return self._packed("pack", self.root)

    def add_byte_code(self) -> int | None:
        """Adds byte code to the pack, because each run would compile it again. Returns the new
        unpacked size in bytes, or None after a timeout, which ends the container. Raises
        BenchmarkError for a malformed answer."""
        # A separate folder keeps out byte code of copies that remain elsewhere.
        variables = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": _CACHE}
        # It may fail, because the project may have files that do not compile.
        if self._shell(_COMPILING, _STEP_SECONDS, variables).late:
            return None
        return self._packed("add-byte-code", f"{_CACHE}{self.root}")

    def _packed(self, command: str, folder: str) -> int:
        return self._inside(
            "packing", lambda answer: int(answer["bytes"]), command, folder, layout.PACK
        )

    def _put(self, contents: Mapping[str, bytes | None]) -> None:
        """None as content creates a folder."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            everything: dict[str, bytes | None] = {layout.OURS: None, **contents}
            # Folders come before their files.
            for path in sorted(everything):
                data = everything[path]
                member = tarfile.TarInfo(path.lstrip("/"))
                member.mode = 0o700 if path == _STORE else 0o755 if data is None else 0o644
                member.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
                member.size = len(data or b"")
                tar.addfile(member, io.BytesIO(data or b""))
        self._workshop.put("/", buffer.getvalue())

    def _shell(
        self, command: str, seconds: float = 0.0, variables: Mapping[str, str] | None = None
    ) -> Ended:
        """Within `seconds`, by default those of a build."""
        environment = {**self._environment, **(variables or {})}
        return self._workshop.run(
            ["/bin/sh", "-c", command],
            seconds=seconds or self._options.build_seconds,
            environment=environment,
            folder=self.root,
            stopped=self._stopped,
        )

    def _do(self, what: str, read: Callable[[Any], _T], **job: Json) -> _T:
        self._put({_JOB: json.dumps({"do": what, "store": _STORE, **job}).encode()})
        return self._inside("searching", read, _JOB)

    def _inside(self, module: str, read: Callable[[Any], _T], *words: str) -> _T:
        """Runs a module of sandbox.inside, and reads the JSON that it prints. Raises SandboxError
        if it fails, BenchmarkError for a malformed answer: a build as root may forge it."""
        source = (files("evaluation.engine.sandbox.inside") / f"{module}.py").read_text("utf-8")
        command = [*layout.INTERPRETER, "-I", "-S", "-B", "-c", source, *words]
        ended = self._workshop.run(command, seconds=_STEP_SECONDS, keep=_FOUND_BYTES)
        if ended.late:
            how = "took too long"
        elif ended.exit_code:
            how = f"exit code {ended.exit_code}"
        elif not ended.said:
            # Each of these modules prints a line, which Docker has lost; a retry gets it.
            how = "no output"
        else:
            try:
                return read(json.loads(ended.said))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise BenchmarkError(
                    f"{self._project.repository}: files that its build left replace our own "
                    "programs, so it is not prepared."
                ) from error
        # Does not quote the output: entrants see the error, and a build may have forged it.
        raise SandboxError(texts.STEP_FAILED(repository=self._project.repository, how=how))


def at_home(project: Project, environment: Mapping[str, str]) -> dict[str, str]:
    """Java finds home folders in the list of users, which lacks the user that runs the tests."""
    if project.report != JAVA:
        return dict(environment)
    options = f"{environment.get('MAVEN_OPTS', '')} -Duser.home={layout.HOME}".strip()
    return {**environment, "MAVEN_OPTS": options}
