"""Tests of the image as an operator runs it: pages, two workers next to each other, a real
submission."""

import gzip
import http.client
import re
from collections.abc import Iterator
from typing import NamedTuple

import docker
import pytest
from docker.models.containers import Container

from tests.deployment import stack
from tests.deployment.stack import NAME, PORT, Stack, address, manage
from tests.support.commands import wait_for
from tests.support.postgres import Cluster

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(stack.why_not() is not None, reason=str(stack.why_not())),
]
SAMPLE = "/app/evaluation/engine/families/rucodeeval/sample"
ENTRANT = """
from leaderboard.accounts.models import Entrant, Team
team = Team.objects.create(name="Northwood", slug="northwood")
Entrant.objects.create(team=team, name="Rowan", slug="rowan")
"""


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Running(NamedTuple):
    stack: Stack
    web: Container
    client: docker.DockerClient


@pytest.fixture(scope="module")
def running(assay: str, image: str, postgres: Cluster) -> Iterator[Running]:
    client = stack.client()
    made = Stack(client, assay, postgres)
    with stack.started(made, client) as web:
        yield Running(made, web, client)


def get(web: Container, path: str) -> Answer:
    """The answer to a request that a proxy passes on for a visitor on HTTPS."""
    connection = http.client.HTTPConnection(address(web), PORT, timeout=20)
    try:
        headers = {"Host": NAME, "X-Forwarded-Proto": "https", "Accept-Encoding": "gzip"}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body, is_packed = response.read(), response.headers["Content-Encoding"] == "gzip"
        return Answer(
            response.status, response.headers, gzip.decompress(body) if is_packed else body
        )
    finally:
        connection.close()


def test_docker_finds_the_pages_healthy(running: Running) -> None:
    def health() -> str:
        running.web.reload()
        return str(running.web.attrs["State"]["Health"]["Status"])

    wait_for(lambda: health() == "healthy", 90, pause=1)


def test_the_settings_suit_a_public_site(running: Running) -> None:
    said = manage(running.web, "check", "--deploy", "--database", "default", "--fail-level=WARNING")
    assert "no issues" in said


def test_pages_come_with_hashed_static_files_that_may_be_kept_for_ever(running: Running) -> None:
    page = get(running.web, "/admin/login/")
    assert page.status == 200
    hashed = re.findall(rb'href="(/static/[^"]+\.[0-9a-f]{12}\.css)"', page.body)
    assert hashed
    sheet = get(running.web, hashed[0].decode())
    assert sheet.status == 200
    assert "immutable" in sheet.headers["Cache-Control"]
    assert sheet.headers["Content-Encoding"] == "gzip"


def test_the_processes_are_no_root_and_nothing_but_data_is_theirs_to_change(
    running: Running,
) -> None:
    search = "find /app /opt/assay ! -type l \\( -user assay -o -perm /022 \\)"
    attempt = "touch /var/tmp/new 2>/dev/null || echo read-only; touch /tmp/new ~/new"
    tried = running.web.exec_run(["sh", "-c", f"id -u; {search}; {attempt}"])
    assert (tried.exit_code, tried.output) == (0, b"10001\nread-only\n")


def test_the_image_has_no_certificates_of_the_build(running: Running) -> None:
    tried = running.web.exec_run(["ls", "/app/ca-bundle.crt", "/build"])
    assert tried.exit_code != 0
    assert tried.output.count(b"No such file") == 2


def test_two_workers_in_containers_judge_a_submission_and_it_is_published(running: Running) -> None:
    workers = [running.stack.work("worker-1"), running.stack.work("worker-2")]
    web = running.web
    files = [f"{SAMPLE}/tasks.jsonl", "--answers", f"{SAMPLE}/answers.jsonl"]
    manage(web, "import_benchmark", "rucodeeval", *files, "--revision", "sample", "--list")
    manage(web, "shell", "-c", ENTRANT)
    sent = ["submit", "rucodeeval", f"{SAMPLE}/rowan/base.json", "--entrant", "rowan"]
    said = manage(web, *sent, "--wait", "--publish")
    assert "pass@1: 0.94167" in said, "".join(one.logs(tail=20).decode() for one in workers)
    assert said.splitlines()[-1] == "published"

    def on_the_board() -> bool:
        return b"Rowan" in get(web, "/benchmarks/rucodeeval/").body

    wait_for(on_the_board, pause=0.5)
    for worker in workers:
        worker.stop(timeout=45)
        assert worker.wait()["StatusCode"] == 0, worker.logs(tail=20).decode()
