"""Tests of the container in which projects are built, and of the images made from it."""

import secrets
from collections.abc import Iterator

import pytest

from evaluation.engine.errors import EngineAway, SandboxError
from evaluation.engine.sandbox import docker, layout, project_images
from evaluation.engine.sandbox.bases import base_for
from evaluation.engine.sandbox.interpreter import with_supervisor
from evaluation.engine.sandbox.project_images import Ended, Workshop

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def supervised(image: str) -> str:
    return with_supervisor(docker.client(), base_for(docker.client(), image, {}))


@pytest.fixture(scope="module")
def shop(supervised: str) -> Iterator[Workshop]:
    with Workshop(supervised, memory=2**30, network="none") as made:
        yield made


@pytest.fixture
def reference() -> Iterator[str]:
    name = f"{project_images.NAME}:{secrets.token_hex(8)}"
    yield name
    project_images.remove(name)


def shell(shop: Workshop, command: str, **more: float) -> Ended:
    return shop.run(["/bin/sh", "-c", command], **{"seconds": 30, **more})  # type: ignore[arg-type]


def test_the_end_of_what_is_printed_is_kept(shop: Workshop) -> None:
    ended = shell(shop, "seq 100000; echo bad; exit 3", keep=9)
    assert ended == Ended(3, "0000\nbad\n")
    # The two streams have no order between them.
    assert shell(shop, "echo bad >&2").said == "bad\n"


def test_a_command_that_was_killed_is_no_container_that_ended(shop: Workshop) -> None:
    assert shell(shop, "kill -9 $$").exit_code == project_images.KILLED


def test_a_command_that_takes_too_long_ends_with_its_container(supervised: str) -> None:
    with Workshop(supervised, memory=2**30, network="none") as shop:
        assert shell(shop, "echo begun; sleep 60", seconds=1) == Ended(-1, "begun\n", late=True)
        with pytest.raises(SandboxError):
            shell(shop, "true")


def test_a_container_that_is_gone_is_the_machinerys_fault(supervised: str) -> None:
    with Workshop(supervised, memory=2**30, network="none") as shop:
        docker.client().api.kill(shop.id)
        with pytest.raises(SandboxError):
            shell(shop, "true")
    with Workshop(supervised, memory=2**30, network="none") as shop, pytest.raises(EngineAway):
        # When the process that init started ends, init ends too, and with it all others.
        shell(shop, "kill -9 $(cat /proc/1/task/1/children); sleep 60")


def test_an_image_holds_what_lies_outside_the_workspace(shop: Workshop, reference: str) -> None:
    shell(shop, f"echo kept > /kept; echo lost > {layout.WORKSPACE}/lost")
    shop.commit(reference, {project_images.PROJECT: "key"})
    with Workshop(reference, memory=2**30, network="none") as other:
        assert shell(other, f"cat /kept; ls {layout.WORKSPACE}").said == "kept\n"


def test_nobody_sweeps_a_container_of_such_an_image_by_mistake(
    shop: Workshop, reference: str
) -> None:
    digest = shop.commit(reference, {project_images.PROJECT: "key"})
    labels = docker.client().images.get(reference).labels
    assert (labels[docker.OWNER], labels[project_images.PROJECT]) == ("", "key")
    assert project_images.Made(digest, (reference,), "key") in project_images.made()


def test_an_image_in_use_is_not_removed(shop: Workshop, reference: str) -> None:
    shop.commit(reference, {project_images.PROJECT: "key"})
    with Workshop(reference, memory=2**30, network="none"):
        assert not project_images.remove(reference)
        assert project_images.digest(reference) is not None
    assert project_images.remove(reference)
    assert project_images.remove(reference)
    assert project_images.digest(reference) is None
