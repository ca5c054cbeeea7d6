"""Every run has its own container, opened in advance, and none is left over in any case."""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import pytest

from evaluation.engine.errors import SandboxError, SandboxGone
from evaluation.engine.pipeline import Sandbox
from evaluation.engine.records import Execution, Prepared
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.session import TREE_ROOM
from tests.support.projects import LIMITS, prepared, run

pytestmark = pytest.mark.docker
# The label by which these tests find their containers on this host.
MARK = "org.assay.test-fresh"


@pytest.fixture(scope="module")
def project() -> Prepared:
    return prepared({"module.py": "#" * 10_000})


@pytest.fixture
def labels(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The label of one test's containers; none may be left after the test."""
    found = {MARK: request.node.name}
    yield found
    assert containers(found) == []


def containers(labels: dict[str, str]) -> list[str]:
    (label,) = (f"{name}={value}" for name, value in labels.items())
    listed = docker.client().api.containers(all=True, filters={"label": label})
    return [entry["Id"] for entry in listed]


def wait_for_one(labels: dict[str, str], *, but: list[str]) -> str:
    """The only container that is left, after those in `but` have gone."""
    deadline = time.monotonic() + 30
    while len(found := containers(labels)) != 1 or found == but:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found[0]


def test_every_run_is_taken_alone_and_has_a_container_of_its_own(
    project: Prepared, labels: dict[str, str]
) -> None:
    taken, names = [], set()

    def executions() -> Iterator[Execution]:
        for number in range(3):
            taken.append(number)
            yield run("hostname; touch /tmp/x$(ls /tmp)")

    with Fresh(project, LIMITS, labels=labels) as fresh:
        for outcome in fresh.run_all(executions()):
            names.add(outcome.output)
            assert len(taken) == len(names) == fresh.runs
        assert fresh.runs == 3


def test_there_is_one_spare_and_no_more(project: Prepared, labels: dict[str, str]) -> None:
    sandbox: Sandbox = Fresh(project, LIMITS, labels=labels)
    first = containers(labels)
    assert len(first) == 1
    runs = sandbox.run_all([run("true"), run("true")])
    next(runs)
    second = wait_for_one(labels, but=first)
    next(runs)
    wait_for_one(labels, but=[second])
    sandbox.close()


def test_a_container_that_is_lost_ends_its_run(project: Prepared, labels: dict[str, str]) -> None:
    with Fresh(project, LIMITS, labels=labels) as fresh:
        first = containers(labels)
        runs = fresh.run_all([run("true"), run("sleep 60")])
        next(runs)
        spare = wait_for_one(labels, but=first)
        end = threading.Timer(1, docker.client().api.remove_container, (spare,), {"force": True})
        end.start()
        with pytest.raises(SandboxGone) as gone:
            next(runs)
        end.join()
    # The daemon may still say how the container ended.
    assert gone.value.how in ("docker", "exit 137")


def test_a_file_that_is_refused_is_said_plainly(project: Prepared, labels: dict[str, str]) -> None:
    with Fresh(project, LIMITS, labels=labels) as fresh:
        with pytest.raises(SandboxError, match=r"'\.\./x'"):
            list(fresh.run_all([run("true", {"../x": ""})]))
        assert len(list(fresh.run_all([run("true")]))) == 1


def test_abort_ends_a_run_at_once(project: Prepared, labels: dict[str, str]) -> None:
    with Fresh(project, LIMITS, labels=labels) as fresh:
        threading.Timer(1, fresh.abort).start()
        with pytest.raises(SandboxGone) as gone:
            # A run that is not ended gives its outcome.
            list(fresh.run_all([run("sleep 60")]))
        assert gone.value.how == "docker"


@pytest.mark.parametrize("after", [0.0, 0.4])
def test_abort_while_a_container_is_opened_leaves_none(
    project: Prepared, labels: dict[str, str], after: float
) -> None:
    with Fresh(project, LIMITS, labels=labels) as fresh:
        threading.Timer(after, fresh.abort).start()
        with pytest.raises(SandboxGone):
            list(fresh.run_all(run("true") for _ in range(100)))


def test_a_closed_one_runs_nothing(project: Prepared, labels: dict[str, str]) -> None:
    fresh = Fresh(project, LIMITS, labels=labels)
    fresh.close()
    fresh.close()
    with pytest.raises(SandboxGone):
        list(fresh.run_all([run("true")]))


def test_who_stops_in_the_middle_leaves_none(project: Prepared, labels: dict[str, str]) -> None:
    with Fresh(project, LIMITS, labels=labels) as fresh:
        for _ in fresh.run_all(run("true") for _ in range(5)):
            break


def test_an_image_that_is_missing_is_said_plainly(
    project: Prepared, labels: dict[str, str]
) -> None:
    with pytest.raises(SandboxError, match="prepare it again"):
        Fresh(replace(project, digest="sha256:" + "0" * 64), LIMITS, labels=labels)


def test_a_tree_that_does_not_fit_is_no_silent_failure(
    project: Prepared, labels: dict[str, str]
) -> None:
    with pytest.raises(SandboxError, match="at least"):
        Fresh(replace(project, tree_bytes=LIMITS.memory), LIMITS, labels=labels)


def test_a_container_that_does_not_start_is_told(project: Prepared, labels: dict[str, str]) -> None:
    small = replace(project, tree_bytes=4096 - TREE_ROOM)
    with pytest.raises(SandboxGone, match="No space left"):
        Fresh(small, LIMITS, labels=labels)


def test_requests_to_a_socket_read_no_environment() -> None:
    """Threads open spare containers while others change the environment, as pytest does."""
    proxied = {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    with patch.dict(os.environ, proxied):
        api = docker.client().api
        assert api.ping()
        assert api.merge_environment_settings(api.base_url, {}, None, None, None)["proxies"] == {}
