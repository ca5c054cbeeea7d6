"""Shared by all tests: Hypothesis profiles, garbage collection, the sandbox image, migrations."""

import gc
from collections.abc import Generator

import pytest
from hypothesis import settings

from evaluation.engine.sandbox import docker, images

# Containers of other tests share the processors, so an example has no deadline. Every run draws
# other examples.
settings.register_profile("assay", deadline=None, max_examples=12)
# For `make acceptance`.
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile("assay")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keeps the garbage collector from looking at the modules and items of all tests again and
    again, during their collection and afterwards, and lets it run less often. Each saves a tenth of
    the processor time of the pages' tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes have the name of their parameter, not their content: a packed file contains the time
    at which it was packed, and the processes of a run must name a test alike."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def image() -> str:
    """The reference of the Python sandbox image; made if it is missing."""
    return images.ensure(docker.client()).reference


@pytest.fixture(scope="session")
def java() -> str:
    """The reference of the Java sandbox image; made if it is missing."""
    return images.ensure(docker.client(), "java").reference


@pytest.fixture(scope="session")
def django_db_setup(
    migrated_once: pytest.MonkeyPatch, quick_flush: None, django_db_setup: None
) -> None:
    """Migrations that tests run later are real ones."""
    migrated_once.undo()
