"""The operators' overview: what it names, where its links lead, and what it costs."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Verdict, Worker
from evaluation.state.scheduling import open_evaluation
from tests.support.cast import Cast

OVERVIEW = reverse("admin-overview")


@pytest.fixture
def staff(client: Client, cast: Cast) -> Client:
    client.force_login(cast.dora)
    return client


def points(client: Client) -> dict[str, str]:
    """The addresses of actions by their sentences."""
    page = client.get(OVERVIEW).text
    return dict(re.findall(r'<li>([^<]+?) <a href="([^"]+)">', page))


def works(name: str, *, silent: bool = False) -> None:
    seen = timezone.now() - timedelta(hours=silent)
    Worker.objects.create(name=name, host="north", queues=["python"], started=seen, seen=seen)


def test_without_trouble_nothing_needs_attention(staff: Client, cast: Cast) -> None:
    cast.judged_submission(cast.entrant())
    assert points(staff) == {}
    assert "Nothing needs attention." in staff.get(OVERVIEW).text


def test_waiting_chunks_without_a_living_worker_are_named(staff: Client, cast: Cast) -> None:
    open_evaluation(submission=cast.submission(cast.entrant()))
    works("old", silent=True)
    waiting = Chunk.objects.count()
    sentence = f"{waiting} chunks wait for a worker of the queue python."
    assert list(points(staff)) == [sentence]
    assert "silent" in staff.get(OVERVIEW).text
    works("new")
    assert points(staff) == {}


def test_what_needs_a_decision_is_counted_and_its_link_leads_there(
    staff: Client, cast: Cast
) -> None:
    cast.judged_submission(cast.entrant(), ("passed",), integrity="suspect", samples=1)
    evaluation = Evaluation.objects.get()
    Chunk.objects.filter(evaluation=evaluation).update(state=ChunkState.LOST)
    Evaluation.objects.update(state=EvaluationState.SCORING, cause="the disk was full")
    suspects = Verdict.objects.filter(integrity="suspect").count()
    found = points(staff)
    assert list(found) == [
        "1 chunk is lost.",
        "1 evaluation could not be scored.",
        f"{suspects} passes are under review.",
    ]
    for url in found.values():
        assert staff.get(url).status_code == 200, url


@pytest.mark.parametrize("number", [1, 4])
def test_its_queries_do_not_grow(
    staff: Client,
    cast: Cast,
    number: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for each in range(number):
        cast.judged_submission(cast.entrant(f"Larch {each}"), samples=1)
        works(f"w{each}")
    with django_assert_max_num_queries(13):
        staff.get(OVERVIEW)
