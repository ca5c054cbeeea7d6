"""Projects prepared for real: built with network, tried without, and kept."""

import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import BenchmarkError, EngineAway, SandboxError
from evaluation.engine.family import InProjects, References
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined, prepare_all, project_key, using
from evaluation.engine.preparation.setup import Builds, Setup
from evaluation.engine.records import Limits, Prepared, Project, Task
from evaluation.engine.sandbox import docker, layout, project_images
from evaluation.engine.sandbox.project_images import Workshop
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine.preparation.repositories import commit
from tests.evaluation.engine.sandbox import test_images

registry = test_images.registry
pytestmark = pytest.mark.docker
GIB = 2**30
# Text that no image may contain. A file with it is not too short to be searched for.
ANSWER = "the answer is forty-two" * 3
SETUP = """
from setuptools import setup
setup(name="thing-of-alice", version="1", packages=["thing"], package_dir={"thing": FOLDER})
"""
CODE = f'ANSWER = "{ANSWER}"\n\n\ndef answer():\n    return 42\n'
TESTS = """
import thing.code

def test_answer():
    assert thing.code.answer() == 42

def test_wrong():
    assert thing.code.answer() == 41
"""
INSTALL = "pip install --no-build-isolation . && pip install pytest"
SITE_PACKAGES = "$(python -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')"
PYTHON = "python:3.11-slim-bookworm"


def tree(folder: str) -> dict[str, str]:
    return {
        "setup.py": SETUP.replace("FOLDER", repr(folder)),
        f"{folder}/__init__.py": "",
        f"{folder}/code.py": CODE,
        "tests/test_code.py": TESTS,
        "tests/conftest.py": 'open("left-behind", "w").close()\n',
        "README": secrets.token_hex(8),
    }


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Options]:
    folder = tmp_path_factory.mktemp("preparing")
    made = replace(
        Options.from_environment(os.environ),
        repositories=(f"{folder}/mirror/{{repository}}",),
        source_trees=folder / "trees",
        directory=folder / "projects",
        build_memory=4 * GIB,
        build_seconds=300,
        test_seconds=60,
    )
    yield made
    store.evict(replace(made, most_bytes=0))


Make = Callable[..., Project]


@pytest.fixture(scope="module")
def project(options: Options, image: str) -> Make:
    """A new project; by default of one file and built on the sandbox's image."""

    def make(build: str = "", files: dict[str, str] | None = None, **more: object) -> Project:
        name = f"alice/thing-{secrets.token_hex(4)}"
        mirror = Path(options.repositories[0].format(repository=name))
        made = commit(mirror, files or {"README": name})
        return replace(Project(name, made, image, build), **more)  # type: ignore[arg-type]

    return make


SCRIPT = "print(42)  # A program of its own, which a test starts; too long to be ignored."
STARTS = """
import subprocess, sys

def test_script():
    found = subprocess.run([sys.executable, "tests/script.py"], stdout=subprocess.PIPE).stdout
    assert int(found) == thing.code.answer()
"""
READS = "\n\ndef test_itself():\n    assert 'itself' in open(__file__).read()\n"


@pytest.fixture(scope="module")
def installed(options: Options, project: Make) -> Prepared:
    """A project whose package is installed, and is also at the top of the tree, from where tests
    import it. A copy of the tests is installed, too."""
    made = project(
        f"cp -r tests {SITE_PACKAGES}/thing_tests && {INSTALL}",
        {**tree("thing"), "tests/script.py": SCRIPT, "tests/test_code.py": TESTS + STARTS},
        image=PYTHON,
        test_commands=("pytest tests",),
        withheld=("thing/code.py",),
    )
    return prepare(made, options)


def prepare(project: Project, options: Options, **settings: Any) -> Prepared:
    with using(project, setup(options, **settings)) as prepared:
        return prepared


def setup(options: Options, **settings: Any) -> Setup:
    return Setup(Limits(1), Slots(), lambda: options, **settings)


def said(prepared: Prepared, command: str) -> str:
    """The output of a command run as root in the image."""
    with Workshop(prepared.image, memory=GIB, network="none") as shop:
        return shop.run(["/bin/sh", "-c", command], seconds=60).said


# Lists the files that contain the answer or a test, outside of /proc, /sys and /dev, and counts the
# answers in the tree.
SEARCH = f"""export LC_ALL=C
grep -rlF --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev \\
    -e '{ANSWER}' -e 'def test_wrong' / | sort
grep -caF '{ANSWER}' {layout.PACK}
"""


def test_the_answer_is_nowhere_in_the_image(installed: Prepared) -> None:
    assert installed.remains == ()
    # The tree is there, and the search sees its tests; the copy of the tests is gone.
    assert said(installed, SEARCH).split() == [layout.PACK, "0"]


def test_the_image_holds_no_history_no_workplace_and_nothing_of_the_network(
    installed: Prepared,
) -> None:
    pack = f"tr '{{' '\\n' < {layout.PACK} | grep -ac '[.]git/'"
    assert said(installed, pack).strip() == "0"
    assert said(installed, f"ls -A {layout.WORKSPACE} /tmp /var/tmp {layout.OURS}").split() == [
        "/opt/assay:",
        "home",
        "python",
        "tree.pack",
        "/tmp:",
        "/var/tmp:",
        "/workspace:",
    ]
    variables = docker.client().images.get(installed.image).attrs["Config"]["Env"]
    assert not [each for each in variables if "proxy" in each.lower() or "CERT" in each]


def test_the_tree_has_byte_code_but_none_of_tests(installed: Prepared) -> None:
    *_, index = said(installed, f"head -c 4096 {layout.PACK} | tr -d '\\0' | cut -c8-").split("[[")
    found = set(re.findall(r'"([^"]+)",\d+,\d+,', index))
    code = {path for path in found if "__pycache__/" in path}
    assert "thing/__pycache__/__init__.cpython-311.pyc" in code
    assert not [path for path in code if path.startswith("tests/")]
    assert not [path for path in found if "/code" in path or path == "left-behind"]


def test_the_record_holds_what_runs_need(installed: Prepared, options: Options) -> None:
    name = installed.project.repository.partition("/")[2]
    assert installed.root == f"{layout.WORKSPACE}/{name}"
    assert installed.texts["thing/code.py"] == CODE
    assert installed.texts["tests/test_code.py"] == TESTS + STARTS
    assert installed.hidden == ("tests/conftest.py", "tests/test_code.py")
    assert installed.digest == project_images.digest(installed.image)
    assert "PATH" in installed.environment
    assert installed.tree_bytes > 4096
    assert PYTHON in installed.base
    # A second call finds it.
    lines: list[str] = []
    assert prepare(installed.project, options, say=lines.append) == installed
    assert lines == []


def test_copies_and_readable_tests_that_the_tests_need_stay_and_are_told(
    options: Options, project: Make
) -> None:
    made = project(
        f"cp -r src {SITE_PACKAGES}/thing && cp -r tests {SITE_PACKAGES}/thing_tests",
        {**tree("src"), "tests/test_code.py": TESTS + READS, "tests/test_other.py": TESTS},
        image=PYTHON,
        test_commands=("pytest tests",),
        withheld=("src/code.py",),
        # The build's pip installs it; without it no test would run.
        requires=("pytest",),
    )
    prepared = prepare(made, options)
    (remains,) = prepared.remains
    assert remains.endswith("-packages/thing/code.py")
    assert prepared.hidden == ("tests/test_other.py",)
    assert said(prepared, SEARCH).split() == [layout.PACK, remains, "0"]


def test_of_several_who_ask_one_builds_in_the_trees_place_with_few_rights(
    options: Options, project: Make
) -> None:
    made = project("(pwd; echo $HOME; grep -E 'CapEff|NoNewPrivs' /proc/self/status) > /seen")
    lines: list[str] = []
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(prepare, made, options, say=lines.append) for _ in range(3)]
        prepared, *others = (each.result() for each in asked)
    assert {each.digest for each in others} == {prepared.digest}
    assert len([line for line in lines if line.endswith(": building")]) == 1
    root, home, capabilities, privileges = said(prepared, "cat /seen").splitlines()
    assert (root, home) == (prepared.root, layout.HOME)
    # CHOWN, DAC_OVERRIDE, FOWNER, FSETID, SETGID, SETUID: bits 0, 1, 3, 4, 6, 7.
    assert int(capabilities.split()[1], 16) == 0b11011011
    assert privileges.split()[1] == "1"


def test_a_build_that_fails_is_told_by_its_last_words_and_remembered(
    options: Options, project: Make
) -> None:
    made = project("echo no such thing; exit 3")
    with pytest.raises(BenchmarkError, match="exit code 3.*no such thing"):
        prepare(made, options)
    lines: list[str] = []
    with pytest.raises(BenchmarkError, match="no such thing"):
        prepare(made, options, say=lines.append)
    assert lines == []
    with pytest.raises(BenchmarkError, match="no such thing"):
        prepare(made, options, say=lines.append, retry=True)
    assert lines != []


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [("echo forged", BenchmarkError, "replace our own"), ("true", SandboxError, "no output")],
)
def test_a_missing_answer_is_an_infrastructure_fault_and_a_forged_one_is_not(
    options: Options, project: Make, line: str, error: type[Exception], words: str
) -> None:
    place = layout.INTERPRETER[0]
    made = project(f"printf '#!/bin/sh\\n{line}\\n' > /new && chmod 755 /new && mv /new {place}")
    with pytest.raises(error, match=words):
        prepare(made, options)


def test_a_build_that_takes_too_long_is_ended(options: Options, project: Make) -> None:
    made = project("echo waiting; sleep 100")
    with pytest.raises(BenchmarkError, match="took longer than 3 s.*waiting"):
        prepare(made, replace(options, build_seconds=3))


def test_a_project_none_of_whose_tests_passes_is_told(options: Options, project: Make) -> None:
    made = project(test_commands=("echo nothing to see",))
    with pytest.raises(BenchmarkError, match="none of its tests passes.*nothing to see"):
        prepare(made, options)
    left = [each for each in project_images.made() if each.key == project_key(made, options)]
    assert left == []


def workshops() -> list[str]:
    filters = {"label": f"{docker.OWNER}={docker.owner_mark()}"}
    return [each["Id"] for each in docker.client().api.containers(filters=filters)]


def test_a_build_that_lost_its_container_is_the_machinerys_fault_and_begun_anew(
    options: Options, project: Make
) -> None:
    made = project("sleep 4")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(prepare, made, options)
        while not workshops():
            time.sleep(0.1)
        time.sleep(1)
        for each in workshops():
            docker.client().api.remove_container(each, force=True, v=True)
        with pytest.raises(EngineAway):
            asked.result()
    assert store.find(options, project_key(made, options)) is None
    assert prepare(made, options).project == made


@pytest.mark.slow
def test_hosts_use_the_build_that_was_pushed_first(
    options: Options, project: Make, registry: str, tmp_path: Path
) -> None:
    made = project("date +%s%N > /built")
    agreed: dict[str, Mapping[str, Any]] = {}
    builds = Builds(agreed.get, lambda record: agreed.update({record["key"]: record}))
    with pytest.raises(SandboxError, match=r"pushed to the registry \(ASSAY_PROJECT_REGISTRY\)"):
        prepare(made, replace(options, registry="127.0.0.1:1/assay"), builds=builds)
    one = replace(options, registry=f"{registry}/assay")
    lines: list[str] = []
    pushed = prepare(made, one, builds=builds, say=lines.append)
    assert [line.partition(": ")[2] for line in lines] == ["pushing the image to the registry"]
    # Another host, with its own build.
    project_images.remove(pushed.image)
    other = replace(one, directory=tmp_path / "other")
    assert prepare(made, replace(other, registry="")).digest != pushed.digest
    pulled = prepare(made, other, builds=builds, say=lines.append)
    assert lines[1:] == [
        f"{made.repository}: fetching the sources",
        f"{made.repository}: pulling another host's build from the registry",
    ]
    assert pulled == pushed
    assert pulled.shared == agreed[pulled.key]["shared"]
    names = docker.client().images.get(pulled.digest).attrs
    assert (names["RepoTags"], names["RepoDigests"]) == ([pulled.image], [])
    assert prepare(made, other, builds=builds, say=lines.append) == pulled
    assert len(lines) == 3
    # The registry lost the image.
    project_images.remove(pulled.image)
    agreed[pulled.key] = {**agreed[pulled.key], "shared": f"sha256:{'0' * 64}"}
    with pytest.raises(SandboxError, match="under Builds of projects"):
        prepare(made, other, builds=builds)


def test_a_build_evicts_what_is_not_being_judged(options: Options, project: Make) -> None:
    small = replace(options, most_bytes=0)
    unused = prepare(project(), options)
    with using(project(), setup(small)) as prepared:
        digests = [project_images.digest(each.digest) for each in (unused, prepared)]
    assert digests == [None, prepared.digest]


def test_all_are_prepared_or_told_why_not(options: Options, project: Make) -> None:
    good, bad, absent = project(), project("exit 1"), replace(project(), commit="0" * 40)
    rows = list(prepare_all([good, bad, absent], setup(options, workers=2)))
    found = {row.project: row for row in rows}
    assert found[good].prepared is not None
    assert "exit code 1" in found[bad].cause
    assert "no such commit" in found[absent].cause


def test_whoever_stops_ends_what_is_under_way(options: Options, project: Make) -> None:
    over = threading.Event()
    # A build that nobody ends takes too long, and says so.
    long, later = project("sleep 1000"), project()

    def say(line: str) -> None:
        if line.endswith(": building"):
            over.set()

    rows = list(prepare_all([long, later], setup(options, say=say, stopped=over.is_set)))
    assert [row.cause for row in rows] == ["Stopped.", "Stopped."]
    assert workshops() == []


KEYED = Project("alice/thing", "0" * 40, "python:3", "make", ("b", "a"), ("d", "c"), ("f", "e"))


@pytest.mark.parametrize(
    "changes",
    [
        {"repository": "alice/other"},
        {"commit": "1" * 40},
        {"image": "python:4"},
        {"build_command": ""},
        {"test_commands": ("a",)},
        {"withheld": ("c",)},
        {"requires": ()},
        {"report": "surefire"},
    ],
)
def test_whatever_decides_the_content_decides_the_key(changes: dict[str, str]) -> None:
    options = Options(directory=Path("/nowhere"))
    other = replace(KEYED, **changes)  # type: ignore[arg-type]
    assert project_key(other, options) != project_key(KEYED, options)
    mapped = replace(options, bases={"python:*": "mine"})
    assert project_key(KEYED, mapped) != project_key(KEYED, options)


def test_the_key_is_the_same_on_every_host_and_in_any_order() -> None:
    options = Options(directory=Path("/nowhere"))
    lists = {"test_commands": ("a", "b"), "withheld": ("c", "d"), "requires": ("e", "f")}
    elsewhere = replace(options, directory=Path("/elsewhere"), build_network="host")
    assert project_key(replace(KEYED, **lists), elsewhere) == project_key(KEYED, options)  # type: ignore[arg-type]


def test_tasks_of_one_project_share_what_they_withhold_and_run() -> None:
    owns = {
        1: replace(KEYED, withheld=("x.py",), test_commands=("one",)),
        2: replace(KEYED, commit="1" * 40, withheld=("x.py",), test_commands=("one",)),
        3: replace(KEYED, withheld=("a.py", "x.py"), test_commands=("two",)),
    }
    tasks = [Task(number, {}, {}) for number in owns]
    nothing = References((), lambda *_: None, lambda *_: pytest.fail("there are none"))
    projects = InProjects(lambda task: owns[int(task.id)], lambda *_: "", nothing, lambda *_: ())
    assert joined(tasks, projects) == {
        replace(KEYED, withheld=("a.py", "x.py"), test_commands=("one", "two")): [
            tasks[0],
            tasks[2],
        ],
        owns[2]: [tasks[1]],
    }
