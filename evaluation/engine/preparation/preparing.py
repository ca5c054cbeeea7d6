"""Prepares projects: builds the image of a project that a dataset describes.

The build has network, the tests run without. Only a complete image gets its name and record; an
interrupted build starts again."""

import hashlib
import json
import re
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from evaluation.engine.errors import BenchmarkError, EngineAway, SandboxError, give_up_if
from evaluation.engine.family import InProjects
from evaluation.engine.preparation import sources, store, withholding
from evaluation.engine.preparation.building import JAVA, Building, at_home
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.reference_runs import dry_run
from evaluation.engine.preparation.setup import Builds, Setup
from evaluation.engine.preparation.withholding import Copy, Passed
from evaluation.engine.records import Prepared, Project, Task
from evaluation.engine.sandbox import docker, project_images
from evaluation.engine.sandbox.bases import Base, base_for, mapped
from evaluation.engine.sandbox.inside import trees
from evaluation.engine.sandbox.interpreter import with_supervisor
from evaluation.engine.sandbox.project_images import Workshop

# Increment with each change to the images' content, or to which files of tests are hidden.
VERSION = 5
# The tests' files to hide, tried in turn: all; without packages' own files, which pytest loads
# itself in its import mode "importlib"; those with its usual names; without conftests, which tests
# may load a second time.
HIDDEN = (
    "",
    r"(?<!__init__)\.py$",
    r"(?:^|/)(?:conftest|test_[^/]*|[^/]*_test)\.py$",
    r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$",
)


def project_key(project: Project, options: Options) -> str:
    """Hash of everything that determines the image's content, equal on all hosts. Raises
    BenchmarkError if a source tree is missing."""
    determining = asdict(project) | {
        "commit": sources.identity(project, options),
        "stands for": mapped(project.image, options.bases) or project.image,
        "version": VERSION,
    }
    for name in ("test_commands", "withheld", "requires"):
        determining[name] = sorted(determining[name])
    return hashlib.sha256(json.dumps(determining, sort_keys=True).encode()).hexdigest()


def joined(tasks: Iterable[Task], projects: InProjects) -> dict[Project, list[Task]]:
    """The tasks by project; each project has all their withheld files and test commands."""
    groups: dict[Project, list[tuple[Project, Task]]] = defaultdict(list)
    for task in tasks:
        project = projects.project(task)
        groups[replace(project, withheld=(), test_commands=())].append((project, task))
    by_project = {}
    for shared, group in groups.items():
        withheld = {path for project, _ in group for path in project.withheld}
        commands = {command for project, _ in group for command in project.test_commands}
        paths = tuple(sorted(withheld))
        project = replace(shared, withheld=paths, test_commands=tuple(sorted(commands)))
        by_project[project] = [task for _, task in group]
    return by_project


@dataclass(frozen=True, slots=True)
class ProjectOutcome:
    """`cause`: reason of a failure; `seconds`: of this call."""

    project: Project
    prepared: Prepared | None
    cause: str
    seconds: float


def prepare_all(projects: Sequence[Project], setup: Setup) -> Iterator[ProjectOutcome]:
    """Yields each result on completion, also for projects that were ready. Closing the iterator
    stops builds in progress. Raises EngineAway if Docker does not answer."""
    over = threading.Event()
    ending = replace(setup, stopped=lambda: over.is_set() or setup.stopped())

    def outcome(project: Project) -> ProjectOutcome:
        began = time.monotonic()
        try:
            give_up_if(ending.stopped)
            with using(project, ending) as prepared:
                return ProjectOutcome(project, prepared, "", time.monotonic() - began)
        except EngineAway:
            raise
        except (BenchmarkError, SandboxError) as error:
            return ProjectOutcome(project, None, str(error), time.monotonic() - began)

    with ThreadPoolExecutor(max_workers=setup.workers) as pool:
        futures = [pool.submit(outcome, project) for project in projects]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            over.set()
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def using(project: Project, setup: Setup) -> Iterator[Prepared]:
    """The project's image, built first if this host lacks it, which takes minutes. It is not
    evicted while the context is open. With a registry it is the build on which hosts agree.
    Concurrent callers wait for one build. Raises BenchmarkError if the build fails or no test
    passes, and again later unless `retry`. Raises SandboxError, also when stopped."""
    options = setup.options()
    key = project_key(project, options)
    builds = setup.builds if options.registry else None
    preparation = _Preparation(project, key, options, setup, builds)
    with store.in_use(options, key):
        prepared = preparation.ready()
        if prepared is None:
            with store.making(key):
                prepared = preparation.ready() or preparation.agreed()
            store.evict(options, setup.say)
        yield prepared


@dataclass(slots=True)
class _Preparation:
    project: Project
    key: str
    options: Options
    setup: Setup
    builds: Builds | None
    texts: dict[str, str] = field(default_factory=dict)
    image: Prepared | None = None

    def say(self, line: str) -> None:
        self.setup.say(f"{self.project.repository}: {line}")

    def ready(self) -> Prepared | None:
        """This host's build, if it is the one on which hosts agree."""
        prepared = store.find(self.options, self.key)
        if prepared is None or self.builds is None:
            return prepared
        record = self.builds.known(self.key)
        return prepared if record is not None and record["shared"] == prepared.shared else None

    def agreed(self) -> Prepared:
        """Pulls the build on which hosts agree. If there is none, builds the project, and offers
        the build to them."""
        if self.builds is None:
            return self.built()
        options, key = self.options, self.key
        repository = f"{options.registry}/{project_images.NAME}"
        if self.builds.known(key) is None:
            prepared = store.find(options, key) or self.built()
            self.say("pushing the image to the registry")
            # Named by the digest too: builds of one project differ, and a registry may delete an
            # image that loses its name.
            pushed_name = f"{repository}:{key}-{prepared.digest[-12:]}"
            shared = project_images.push(prepared.digest, pushed_name, self.setup.stopped)
            self.builds.agree(store.note_shared(options, key, shared))
        prepared_here = self.ready()
        if prepared_here is not None:
            return prepared_here
        with self.sources() as folder:
            texts = sources.texts(folder, self.project.withheld)
        self.say("pulling another host's build from the registry")
        record = self.builds.known(key)
        assert record is not None, "hosts agreed on a build"
        name = store.finished(key)
        digest = project_images.pull(repository, record["shared"], name, self.setup.stopped)
        prepared = replace(store.prepared(record), image=name, digest=digest, texts=texts)
        store.save(options, prepared, bytes_=record["bytes"], seconds=record["seconds"])
        return prepared

    @contextmanager
    def sources(self) -> Iterator[Path]:
        """A temporary folder with the project's sources."""
        with tempfile.TemporaryDirectory(prefix="assay-project-") as scratch:
            folder = Path(scratch) / sources.name(self.project)
            folder.mkdir()
            self.say("fetching the sources")
            sources.checkout(self.project, self.options, folder)
            yield folder

    def built(self) -> Prepared:
        options, project = self.options, self.project
        cause = store.failure(options, self.key)
        if cause is not None and not self.setup.retry:
            raise BenchmarkError(cause)
        began = time.monotonic()
        docker.sweep()
        with self.sources() as folder:
            if (folder / ".gitmodules").exists():
                self.say("its submodules are left out")
            base = base_for(docker.client(), project.image, options.bases, self.setup.say)
            image = with_supervisor(docker.client(), base, self.setup.say)
            self.texts = sources.texts(folder, project.withheld)
            memory, network = options.build_memory, options.build_network
            try:
                with Workshop(image, memory=memory, network=network) as shop:
                    building = Building(
                        shop, project, options, base.environment, self.setup.stopped
                    )
                    self.say("building")
                    with closing(sources.packed(folder, building.root)) as tree:
                        building.build(tree)
                    prepared = self.tried(shop, building, base)
                    name = store.finished(self.key)
                    project_images.remove(name)
                    project_images.tag(prepared.digest, name)
                    prepared = replace(prepared, image=name)
            except BenchmarkError as error:
                store.save_failure(options, self.key, str(error))
                raise
            finally:
                # If this fails, the next eviction removes it.
                with suppress(SandboxError):
                    project_images.remove(store.unfinished(self.key))
        layers = project_images.size(prepared.image) - project_images.size(image)
        store.save(options, prepared, bytes_=layers, seconds=time.monotonic() - began)
        return prepared

    def tried(self, shop: Workshop, building: Building, base: Base) -> Prepared:
        """The image without the copies of withheld files that the tests do not need. Raises
        BenchmarkError if no test passes."""
        project = self.project
        withheld = {path: self.texts[path] for path in project.withheld if path in self.texts}

        def stored(tree_bytes: int) -> Prepared:
            name = store.unfinished(self.key)
            digest = shop.commit(name, {project_images.PROJECT: self.key})
            if self.image is not None:
                project_images.remove(self.image.digest)
            self.image = Prepared(
                project=project,
                key=self.key,
                image=name,
                digest=digest,
                base=str(base),
                root=building.root,
                tree_bytes=tree_bytes,
                texts=self.texts,
                environment=at_home(project, base.environment),
            )
            return self.image

        def tested(image: Prepared) -> tuple[Passed, str]:
            return dry_run(image, withheld, self.options, self.setup.stopped)

        def withhold(copies: Sequence[Copy]) -> list[Copy]:
            return withholding.withhold(
                copies,
                before,
                lambda: tested(stored(building.pack()))[0],
                partial(building.move, "take"),
                partial(building.move, "return"),
            )

        building.clean([*withheld])
        copies = building.copies(withheld)
        self.say("running the tests")
        before, said = tested(stored(building.pack()))
        if project.test_commands and not before:
            raise BenchmarkError(f"{project.repository}: none of its tests passes. {said}")
        if copies:
            self.say(f"taking {len(copies)} copies of withheld files away")
        remains = withhold(copies)
        tests: dict[str, str] = {}
        if project.report != JAVA:
            named = {test.partition("::")[0] for _, test in before}
            tests = {
                path: text
                for path, text in self.texts.items()
                if path.endswith(".py") and (path in named or re.search(trees.OF_TESTS, path))
            }
        if tests:
            # Moved together, because each try runs the tests.
            remains += withhold([replace(copy, group="tests") for copy in building.copies(tests)])
        image = stored(building.pack()) if remains or self.image is None else self.image

        def lost(hidden: tuple[str, ...]) -> Passed:
            self.say(f"running the tests with {len(hidden)} hidden files")
            return withholding.lost(before, lambda: tested(replace(image, hidden=hidden))[0])

        hidden = _hidden(tests, lost)
        tree_bytes = building.add_byte_code() if project.report != JAVA else None
        image = image if tree_bytes is None else stored(tree_bytes)
        return replace(image, remains=tuple(map(str, remains)), hidden=hidden)


def _hidden(tests: Iterable[str], lost: Callable[[tuple[str, ...]], Passed]) -> tuple[str, ...]:
    """The files of the tests that can be hidden; lost(files) are tests that pass no more if these
    are."""
    choices = (tuple(sorted(filter(re.compile(choice).search, tests))) for choice in HIDDEN)
    files, failing = tuple[str, ...](), Passed()
    for files in filter(None, dict.fromkeys(choices)):
        failing = lost(files)
        if not failing:
            return files
    # A file stays readable if its own tests need to read it.
    readable = {test.partition("::")[0] for _, test in failing}
    others = tuple(path for path in files if path not in readable)
    return others if others not in ((), files) and not lost(others) else ()
