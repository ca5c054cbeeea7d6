"""Prepared projects are stored completely or not at all, within the size limit."""

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.records import Prepared, Project, Reference, Status, Task
from evaluation.engine.sandbox import docker, project_images
from tests.support.tars import tar_of

pytestmark = pytest.mark.docker
PROJECT = Project("alice/thing", "0" * 40, "python:3", "", ("pytest",), ("a.py",), ("radon",))
Images = Callable[..., Prepared]
TASK = Task("T/1", {"prompt": "?"}, {"gt": "!"})


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options(directory=tmp_path / "projects")


@pytest.fixture
def image() -> Iterator[Images]:
    """Makes images with nothing in them, as if of projects."""
    made = []

    def make(name: Callable[[str], str] = store.finished) -> Prepared:
        key = secrets.token_hex(32)
        reference = name(key)
        labels = [f"LABEL {project_images.PROJECT}={key}"]
        repository, _, tag = reference.partition(":")
        docker.client().api.import_image_from_data(tar_of({}), repository, tag, labels)
        made.append(reference)
        digest = project_images.digest(reference)
        assert digest is not None
        texts = {"a.py": "\udcff\r\n", "b.py": "b"}
        environment = {"PATH": "/bin"}
        return Prepared(
            PROJECT, key, reference, digest, "base", "/workspace/thing", 9, texts, environment
        )

    yield make
    for reference in made:
        project_images.remove(reference)


def kept(options: Options, prepared: Prepared, *, bytes_: int = 1, used: float = 0) -> Prepared:
    store.save(options, prepared, bytes_=bytes_, seconds=2.0)
    os.utime(options.directory / prepared.key / "used", (used, used))
    return prepared


def test_what_is_kept_is_found_as_it_was(options: Options, image: Images) -> None:
    prepared = kept(options, replace(image(), remains=("/lib/a.py",)))
    assert store.find(options, prepared.key) == prepared


def test_a_record_without_its_image_is_not_found(options: Options, image: Images) -> None:
    prepared = kept(options, image())
    assert project_images.remove(prepared.image)
    assert store.find(options, prepared.key) is None


def test_another_image_of_that_name_is_not_taken_for_it(options: Options, image: Images) -> None:
    prepared = kept(options, image())
    other = image()
    project_images.remove(prepared.image)
    project_images.tag(other.digest, prepared.image)
    assert store.find(options, prepared.key) is None


@pytest.mark.parametrize("name", ["project.json", "texts.json"])
@pytest.mark.parametrize("left", [None, b'{"key": '])
def test_half_a_record_is_none(
    options: Options, image: Images, name: str, left: bytes | None
) -> None:
    prepared = kept(options, image())
    path = options.directory / prepared.key / name
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    assert store.find(options, prepared.key) is None


def test_a_failure_is_kept_until_it_works(options: Options, image: Images) -> None:
    prepared = image()
    store.save_failure(options, prepared.key, "pip said no")
    assert store.failure(options, prepared.key) == "pip said no"
    kept(options, prepared)
    assert store.failure(options, prepared.key) is None


def test_the_least_recently_used_go_until_the_rest_fits(options: Options, image: Images) -> None:
    old, older, new = (kept(options, image(), bytes_=10, used=used) for used in (2000, 1000, 3000))
    for prepared in (old, new):
        store.save_references(options, prepared, TASK, {})
    store.evict(replace(options, most_bytes=10))
    assert [each.prepared.key for each in store.listed(options)] == [new.key]
    assert project_images.digest(old.image) is project_images.digest(older.image) is None
    assert store.find(options, new.key) == new
    loaded = [store.load_references(options, prepared, TASK) for prepared in (old, new)]
    assert loaded == [None, {}]


def test_what_is_in_use_stays_and_another_goes(options: Options, image: Images) -> None:
    used, other = kept(options, image(), used=1000), kept(options, image(), used=2000)
    with store.in_use(options, used.key), store.in_use(options, used.key):
        os.utime(options.directory / used.key / "used", (0, 0))
        store.evict(replace(options, most_bytes=1))
        assert store.find(options, used.key) == used
        assert store.find(options, other.key) is None
    store.evict(replace(options, most_bytes=0))
    assert store.find(options, used.key) is None


def test_to_use_a_project_makes_it_the_last_to_go(options: Options, image: Images) -> None:
    first, second = kept(options, image(), used=1000), kept(options, image(), used=2000)
    with store.in_use(options, first.key):
        pass
    assert [each.prepared.key for each in store.listed(options)] == [second.key, first.key]


def test_what_an_interrupted_preparation_left_goes_unless_it_is_under_way(
    options: Options, image: Images
) -> None:
    left, under_way = image(store.unfinished), image(store.unfinished)
    with store.making(under_way.key):
        store.evict(options)
        assert project_images.digest(left.digest) is None
        assert project_images.digest(under_way.digest) == under_way.digest


def test_an_image_that_lost_its_name_goes(options: Options, image: Images) -> None:
    left, other = image(), image()
    project_images.tag(other.digest, left.image)
    store.evict(options)
    assert project_images.digest(left.digest) is None
    assert project_images.digest(other.digest) == other.digest


REFERENCES = st.builds(
    Reference,
    name=st.text(max_size=9),
    status=st.sampled_from(Status),
    passed=st.lists(st.text(max_size=9)).map(tuple),
    tests=st.integers(0, 99),
    cpu_seconds=st.floats(0, 99),
    duration_ms=st.integers(0, 99),
    facts=st.dictionaries(st.text(max_size=5), st.lists(st.text(max_size=5) | st.none())),
    unsound=st.text(max_size=9),
    output=st.text(max_size=9),
)
PREPARED = Prepared(PROJECT, "k" * 64, "i", "sha256:0", "", "/", 0, {})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=9), REFERENCES, max_size=3))
def test_references_are_read_as_they_were_written(
    options: Options, references: dict[str, Reference]
) -> None:
    store.save_references(options, PREPARED, TASK, references)
    assert store.load_references(options, PREPARED, TASK) == references


@pytest.mark.parametrize(
    ("prepared", "task"),
    [
        (replace(PREPARED, digest="sha256:1"), TASK),
        (PREPARED, replace(TASK, id="T/2")),
        (PREPARED, replace(TASK, hidden={"gt": "?"})),
        (PREPARED, replace(TASK, public={"prompt": "!"})),
    ],
)
def test_references_hold_for_one_image_and_one_task(
    options: Options, prepared: Prepared, task: Task
) -> None:
    store.save_references(options, PREPARED, TASK, {})
    assert store.load_references(options, PREPARED, TASK) == {}
    assert store.load_references(options, prepared, task) is None
