"""Prepares projects: builds the image of a project that a dataset describes.

The build has network, the tests run without. Only a complete image gets its name and record; an
interrupted build starts again.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from evaluation.engine.errors import BenchmarkError, EngineAway, SandboxError, give_up_if
from evaluation.engine.family import InProjects
from evaluation.engine.preparation import sharing, sources, store, withholding
from evaluation.engine.preparation.building import JAVA, Building
from evaluation.engine.preparation.dry_runs import dry_run
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.sharing import Builds
from evaluation.engine.preparation.withholding import Passed
from evaluation.engine.records import Prepared, Project, Task
from evaluation.engine.sandbox import docker, project_images
from evaluation.engine.sandbox.bases import Base, base_for, mapped
from evaluation.engine.sandbox.inside import trees
from evaluation.engine.sandbox.interpreter import with_supervisor
from evaluation.engine.sandbox.project_images import Workshop

# Increment with each change to the images' content.
VERSION = 3
# The tests' files to hide, tried in turn: all; without packages' own files, which pytest loads
# itself in its import mode "importlib"; those with its usual names; without conftests, which tests
# may load a second time.
HIDDEN = (
    "",
    r"(?<!__init__)\.py$",
    r"(?:^|/)(?:conftest|test_[^/]*|[^/]*_test)\.py$",
    r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$",
)
Say = Callable[[str], None]
Stopped = Callable[[], bool]


def _silent(_line: str) -> None:
    """Say nothing."""


def _never() -> bool:
    return False


def project_key(project: Project, options: Options) -> str:
    """Hash of everything that determines the image's content, equal on all hosts. Raises
    BenchmarkError if a source tree is missing."""
    told = asdict(project) | {
        "commit": sources.identity(project, options),
        "stands for": mapped(project.image, options.bases) or project.image,
        "version": VERSION,
    }
    for name in ("test_commands", "withheld", "requires"):
        told[name] = sorted(told[name])
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def joined(tasks: Iterable[Task], projects: InProjects) -> dict[Project, list[Task]]:
    """The tasks by project; each project has all their withheld files and test commands."""
    groups: dict[Project, list[tuple[Project, Task]]] = {}
    for task in tasks:
        own = projects.project(task)
        groups.setdefault(replace(own, withheld=(), test_commands=()), []).append((own, task))
    return {
        replace(
            shared,
            withheld=tuple(sorted({path for own, _ in group for path in own.withheld})),
            test_commands=tuple(sorted({c for own, _ in group for c in own.test_commands})),
        ): [task for _, task in group]
        for shared, group in groups.items()
    }


def prepare(
    project: Project,
    options: Options,
    *,
    say: Say = _silent,
    retry: bool = False,
    stopped: Stopped = _never,
    builds: Builds | None = None,
) -> Prepared:
    """The project's image, built first if this host lacks it, which takes minutes.

    Concurrent callers wait for one build. Raises BenchmarkError if the build fails or no test
    passes, and again later unless `retry`. Raises SandboxError, also when stopped.
    """
    called = using(project, options, say=say, retry=retry, stopped=stopped, builds=builds)
    with called as prepared:
        return prepared


@contextmanager
def using(
    project: Project,
    options: Options,
    *,
    say: Say = _silent,
    retry: bool = False,
    stopped: Stopped = _never,
    builds: Builds | None = None,
) -> Iterator[Prepared]:
    """As prepare(), and prevents the image's eviction while the context is open. With a registry
    and `builds` it is the build on which hosts agree."""
    key = project_key(project, options)
    shared = builds if options.registry else None
    with store.in_use(options, key):
        found = _ready(options, key, shared)
        if found is None:
            with store.making(key):
                found = _ready(options, key, shared) or _got(
                    project, key, options, say, retry, stopped, shared
                )
            store.evict(options, say)
        yield found


def _ready(options: Options, key: str, builds: Builds | None) -> Prepared | None:
    found = store.find(options, key)
    return found if found is None or builds is None or builds.are_of(found) else None


def _got(
    project: Project,
    key: str,
    options: Options,
    say: Say,
    retry: bool,
    stopped: Stopped,
    builds: Builds | None,
) -> Prepared:
    """Pulls the build on which hosts agree. If there is none, builds the project, and offers the
    build to them."""
    if builds is None:
        return _made(project, key, options, say, retry, stopped)
    if builds.known(key) is None:
        own = store.find(options, key) or _made(project, key, options, say, retry, stopped)
        say(f"{project.repository}: pushing the image to the registry")
        sharing.offer(own, options, builds, stopped)
    agreed = _ready(options, key, builds)
    if agreed is None:
        with _sources(project, options, say) as folder:
            texts = sources.texts(folder, project.withheld)
        say(f"{project.repository}: pulling another host's build from the registry")
        agreed = sharing.take(key, texts, options, builds, stopped)
    return agreed


@contextmanager
def _sources(project: Project, options: Options, say: Say) -> Iterator[Path]:
    """A temporary folder with the project's sources."""
    with tempfile.TemporaryDirectory(prefix="assay-project-") as scratch:
        folder = Path(scratch) / sources.name(project)
        folder.mkdir()
        say(f"{project.repository}: fetching the sources")
        sources.checkout(project, options, folder)
        yield folder


def _made(
    project: Project, key: str, options: Options, say: Say, retry: bool, stopped: Stopped
) -> Prepared:
    failed = store.failure(options, key)
    if failed is not None and not retry:
        raise BenchmarkError(failed.cause)
    began = time.monotonic()
    docker.sweep()
    with _sources(project, options, say) as folder:
        if (folder / ".gitmodules").exists():
            say(f"{project.repository}: its submodules are left out")
        base = base_for(docker.client(), project.image, options.bases, say)
        image = with_supervisor(docker.client(), base, say)
        try:
            prepared = _Making(project, key, options, base, say, stopped).made(image, folder)
        except BenchmarkError as error:
            seconds = time.monotonic() - began
            failure = store.Failure(project, str(error), seconds, time.time())
            store.save_failure(options, key, failure)
            raise
    own = project_images.size(prepared.image) - project_images.size(image)
    store.save(options, prepared, bytes_=own, seconds=time.monotonic() - began)
    return prepared


class _Making:
    def __init__(
        self,
        project: Project,
        key: str,
        options: Options,
        base: Base,
        say: Say,
        stopped: Stopped,
    ) -> None:
        self._project, self._key, self._options = project, key, options
        self._base, self._stopped = base, stopped
        self._tell = say
        self._texts: dict[str, str] = {}
        self._image: Prepared | None = None

    def made(self, image: str, folder: Path) -> Prepared:
        """Raises BenchmarkError if the build fails or no test passes, SandboxError."""
        memory, network = self._options.build_memory, self._options.build_network
        self._texts = sources.texts(folder, self._project.withheld)
        withheld = {p: self._texts[p] for p in self._project.withheld if p in self._texts}
        environment = self._base.environment
        with Workshop(image, memory=memory, network=network) as shop:
            building = Building(shop, self._project, self._options, environment, self._stopped)
            self._say("building")
            with closing(sources.packed(folder, building.root)) as tree:
                building.build(tree)
            building.clean([*withheld])
            try:
                return self._named(self._tried(shop, building, withheld))
            finally:
                # If this fails, the next eviction removes it.
                with suppress(SandboxError):
                    project_images.remove(store.unfinished(self._key))

    def _say(self, line: str) -> None:
        self._tell(f"{self._project.repository}: {line}")

    def _tried(self, shop: Workshop, building: Building, withheld: Mapping[str, str]) -> Prepared:
        """The image without the copies of withheld files that the tests do not need."""
        copies = building.copies(withheld)

        def passed() -> Passed:
            return self._dry_run(shop, building, withheld)[0]

        self._say("running the tests")
        before, said = self._dry_run(shop, building, withheld)
        if self._project.test_commands and not before:
            raise BenchmarkError(f"{self._project.repository}: none of its tests passes. {said}")
        if copies:
            self._say(f"taking {len(copies)} copies of withheld files away")
        remains = withholding.withhold(copies, before, passed, building.take, building.give_back)
        tests = self._tests(before)
        if tests:
            # Moved together, because each try runs the tests.
            copies = [replace(copy, group="tests") for copy in building.copies(tests)]
            remains += withholding.withhold(
                copies, before, passed, building.take, building.give_back
            )
        image = self._stored(shop, building) if remains or self._image is None else self._image
        hidden = self._hidden(image, before, withheld, tests)
        if self._project.report != JAVA:
            tree_bytes = building.add_byte_code()
            image = image if tree_bytes is None else self._committed(shop, building, tree_bytes)
        return replace(image, remains=tuple(map(str, remains)), hidden=hidden)

    def _tests(self, passed: Passed) -> dict[str, str]:
        """The texts of the tests' Python files by path."""
        if self._project.report == JAVA:
            return {}
        named = {test.partition("::")[0] for _, test in passed}
        of_tests = re.compile(trees.OF_TESTS)
        return {
            path: text
            for path, text in self._texts.items()
            if path.endswith(".py") and (path in named or of_tests.search(path))
        }

    def _hidden(
        self, image: Prepared, before: Passed, withheld: Mapping[str, str], tests: Iterable[str]
    ) -> tuple[str, ...]:
        """Those of the tests' files whose text no test needs to read, of the choices in HIDDEN."""

        def passed(hidden: tuple[str, ...]) -> Passed:
            hiding = replace(image, hidden=hidden)
            return dry_run(hiding, withheld, self._options, self._stopped)[0]

        choices = [tuple(sorted(filter(re.compile(chosen).search, tests))) for chosen in HIDDEN]
        for hidden in filter(None, dict.fromkeys(choices)):
            self._say(f"running the tests with {len(hidden)} hidden files")
            if withholding.still(before, partial(passed, hidden)):
                return hidden
        return ()

    def _dry_run(
        self, shop: Workshop, building: Building, withheld: Mapping[str, str]
    ) -> tuple[Passed, str]:
        return dry_run(self._stored(shop, building), withheld, self._options, self._stopped)

    def _stored(self, shop: Workshop, building: Building) -> Prepared:
        return self._committed(shop, building, building.pack())

    def _committed(self, shop: Workshop, building: Building, tree_bytes: int) -> Prepared:
        name = store.unfinished(self._key)
        digest = shop.commit(name, {project_images.PROJECT: self._key})
        if self._image is not None:
            project_images.remove(self._image.digest)
        self._image = Prepared(
            project=self._project,
            key=self._key,
            image=name,
            digest=digest,
            base=str(self._base),
            root=building.root,
            tree_bytes=tree_bytes,
            texts=self._texts,
            environment=building.run_environment(self._base.environment),
        )
        return self._image

    def _named(self, image: Prepared) -> Prepared:
        name = store.finished(self._key)
        project_images.remove(name)
        project_images.tag(image.digest, name)
        return replace(image, image=name)


@dataclass(frozen=True, slots=True)
class ProjectOutcome:
    """`cause`: reason of a failure; `seconds`: of this call; `bytes_`: without the base image."""

    project: Project
    prepared: Prepared | None
    cause: str
    seconds: float
    bytes_: int = 0


def prepare_all(
    projects: Sequence[Project],
    options: Options,
    *,
    parallel: int | None = None,
    say: Say = _silent,
    retry: bool = False,
    stopped: Stopped = _never,
    builds: Builds | None = None,
) -> Iterator[ProjectOutcome]:
    """Yields each result on completion, also for projects that were ready. Closing the iterator
    stops builds in progress. Raises EngineAway if Docker does not answer."""
    over = threading.Event()

    def one(project: Project) -> ProjectOutcome:
        return _row(project, options, say, retry, lambda: over.is_set() or stopped(), builds)

    with ThreadPoolExecutor(max_workers=parallel or options.parallel) as pool:
        asked = [pool.submit(one, project) for project in projects]
        try:
            for done in as_completed(asked):
                yield done.result()
        finally:
            over.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _row(
    project: Project,
    options: Options,
    say: Say,
    retry: bool,
    stopped: Stopped,
    builds: Builds | None,
) -> ProjectOutcome:
    began = time.monotonic()
    try:
        give_up_if(stopped)
        prepared = prepare(project, options, say=say, retry=retry, stopped=stopped, builds=builds)
    except EngineAway:
        raise
    except (BenchmarkError, SandboxError) as error:
        return ProjectOutcome(project, None, str(error), time.monotonic() - began)
    taken = store.bytes_of(options, prepared.key)
    return ProjectOutcome(project, prepared, "", time.monotonic() - began, taken)
