"""What all tests share: the sandbox image, made once, and sandboxes from it."""

from __future__ import annotations

import pytest

from evaluation.engine.sandbox import docker, images


@pytest.fixture(scope="session")
def image() -> str:
    """The reference of the Python sandbox image; made if it is missing."""
    return images.ensure(docker.client()).reference
