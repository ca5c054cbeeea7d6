"""Tests that the queue holds only names of functions and keys of rows, never their content."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django_rq import get_queue
from django_rq.settings import get_queues_map
from pytest_django.fixtures import Settings
from redis import Redis
from rq.results import Result

from evaluation.work import bells
from evaluation.work.actions import judge_again
from leaderboard.scores.boards import want_board
from leaderboard.submissions.models import Upload
from tests.leaderboard.addresses.marked import HIDDEN, SEEN_BY, STAFF, Site
from tests.leaderboard.addresses.test_every_address import rq_addresses
from tests.leaderboard.addresses.visiting import body, visitor
from tests.support.cast import confirmed_user
from tests.support.valkey import Queue

pytestmark = pytest.mark.any_database


@pytest.fixture
def queue(site: Site, settings: Settings) -> Iterator[Redis]:
    """A queue with a job of every kind in it."""
    with tempfile.TemporaryDirectory(prefix="assay-queue-") as folder:
        server = Queue(Path(folder))
        server.start()
        settings.RQ_QUEUES = {
            name: {**config, "URL": server.url} for name, config in settings.RQ_QUEUES.items()
        }
        ring_for_everything(site)
        yield get_queue("intake").connection
        server.kill()


def ring_for_everything(site: Site) -> None:
    Upload.objects.update(rung=None)
    assert bells.ring([site.upload])
    evaluation = judge_again(submission=site.published)
    assert bells.ring_next_chunks(evaluation.pk)
    assert bells.ring([evaluation])
    board = want_board(submission=site.published)
    assert bells.ring([board])


def stored(queue: Redis) -> str:
    """Every key and value of the queue, of any type."""
    return "\n".join(str((key, queue.type(key), queue.dump(key))) for key in queue.keys("*"))


def test_jobs_carry_keys_alone(queue: Redis) -> None:
    jobs = [job for name in ("intake", "python", "scoring") for job in get_queue(name).jobs]
    kinds = {job.func_name.rpartition(".")[2] for job in jobs}
    assert kinds == {"store_upload", "chunk", "score", "board"}
    assert {(len(job.args), type(job.args[0]), len(job.kwargs)) for job in jobs} == {(1, int, 0)}
    assert [mark for mark in SEEN_BY if mark in stored(queue)] == []


def test_staff_see_the_queue_and_in_it_nothing_hidden(site: Site, queue: Redis) -> None:
    client = visitor(site, STAFF)
    job = get_queue("intake").jobs[0]
    Result.create(job, Result.Type.SUCCESSFUL, ttl=60)
    pages = [reverse("django_rq:home"), reverse("django_rq:jobs", args=[0])]
    pages += [reverse("django_rq:job_detail", args=[0, job.id])]
    answers = [client.get(url) for url in pages]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert [mark for mark in HIDDEN for answer in answers if mark in body(answer)] == []
    # The policy would refuse them.
    assert "rq-clickable" in body(answers[-1])
    assert [
        mark for mark in ("onclick", "<script>") for answer in answers if mark in body(answer)
    ] == []


def test_the_queues_pages_ask_staff_for_a_permission(site: Site, queue: Redis) -> None:
    user = confirmed_user("clerk", "clerk@example.org", is_staff=True)
    client = Client()
    client.force_login(user)
    index = get_queues_map()["intake"]
    clear = [reverse(f"{name}clear", args=[index]) for name in ("django_rq:", "admin:django_rq_")]
    length = get_queue("intake").count
    assert length > 0
    assert "/admin/django_rq/" not in client.get(reverse("account")).text
    for url in (*rq_addresses(), *clear):
        assert (client.get(url).status_code, client.post(url).status_code) == (403, 403), url
    user.user_permissions.set(Permission.objects.filter(codename="view_chunk"))
    assert "/admin/django_rq/" in client.get(reverse("account")).text
    for url in clear:
        assert (client.get(url).status_code, client.post(url).status_code) == (200, 403), url
    assert get_queue("intake").count == length
    user.user_permissions.set(Permission.objects.filter(codename="change_chunk"))
    assert client.post(clear[0]).status_code == 302
    assert get_queue("intake").count == 0


def test_the_queues_pages_change_nothing_by_get(site: Site, queue: Redis) -> None:
    before = {job.id for name in ("intake", "python", "scoring") for job in get_queue(name).jobs}
    client = visitor(site, STAFF)
    for url in rq_addresses():
        client.get(url)
    after = {job.id for name in ("intake", "python", "scoring") for job in get_queue(name).jobs}
    assert after == before
