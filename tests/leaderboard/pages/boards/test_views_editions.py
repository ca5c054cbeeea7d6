"""The pages of a board's editions: orders that can be cited, and what scoring again changed."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from evaluation.work.exclusions import leave_out
from leaderboard.accounts.models import User
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.pages.boards.views import editions
from leaderboard.scores.models import Edition
from leaderboard.submissions.publishing import withdraw
from tests.leaderboard.scores.test_editions import BETTER, WORSE, scored_again
from tests.support.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
BOARD = "/benchmarks/rucodeeval/"


def text_of(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.text.partition("<main")[2]).split())


def test_an_edition_is_cited_and_keeps_its_order(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant("Birch"), WORSE)
    edition = Edition.objects.get()
    address = edition.get_absolute_url()
    assert f"http://testserver{address}" in client.get(BOARD).text
    cast.judged_submission(cast.entrant("Rowan"), BETTER)
    assert f"http://testserver{address}" not in client.get(BOARD).text
    text = text_of(client, address)
    assert "Birch 33.3" in text and "Rowan" not in text
    assert client.get(f"{BOARD}editions/{edition.pk}/").status_code == 404
    assert client.get(address.replace("rucodeeval", "codeif")).status_code == 404


def test_the_list_has_pages_and_says_that_it_is_empty(
    cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No published results." in text_of(
        client, f"/benchmarks/{cast.rucodeeval.slug}/editions/"
    )
    monkeypatch.setattr(editions, "PAGE", 1)
    for name in ("Birch", "Rowan"):
        cast.judged_submission(cast.entrant(name), WORSE)
    for number, edition in enumerate(Edition.objects.all(), 1):
        assert edition.public_id in client.get(f"{BOARD}editions/?page={number}").text


def test_the_address_of_an_edition_that_is_not_kept_shows_the_next_one_of_its_metric(
    cast: Cast, client: Client
) -> None:
    cast.judged_submission(cast.entrant("Birch"), WORSE)
    cast.judged_submission(cast.entrant("Rowan"), BETTER)
    later, earlier = Edition.objects.all()
    day = timezone.now().replace(hour=12) - timedelta(days=9)
    for edition, hours in ((earlier, 0), (later, 5)):
        Edition.objects.filter(pk=edition.pk).update(made_at=day + timedelta(hours=hours))
    cast.judged_submission(cast.entrant("Alder"), WORSE)
    text = text_of(client, earlier.get_absolute_url())
    assert " is not kept. This is the next one" in text and "2 Birch" in text
    Edition.objects.exclude(pk=earlier.pk).update(metric="pass@10")
    gone = client.get(earlier.get_absolute_url())
    assert gone.status_code == 410 and "no later one by the same metric" in gone.text
    assert later.get_absolute_url() in gone.text
    assert client.get(f"{BOARD}editions/").text.count('<th scope="row">') == 2


def test_a_withdrawn_row_shows_neither_name_nor_score(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant("Birch"), BETTER)
    gone = cast.judged_submission(cast.entrant("Rowan"), WORSE)
    address = Edition.objects.all()[0].get_absolute_url()
    assert "Rowan 33.3" in text_of(client, address)
    withdraw(submission=gone)
    text = text_of(client, address)
    assert "2 withdrawn" in text and "Rowan" not in text and "33.3" not in text


def test_a_row_of_an_unlisted_benchmark_is_not_withdrawn(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant("Birch"), BETTER)
    Benchmark.objects.update(listed=False)
    staff = User.objects.create_user("erin", is_staff=True)
    staff.user_permissions.add(*Permission.objects.filter(codename="view_benchmark"))
    client.force_login(staff)
    text = text_of(client, Edition.objects.get().get_absolute_url())
    assert "Birch" not in text and "withdrawn" not in text


def test_a_change_lists_tasks_scores_ranks_and_why(
    cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.judged_submission(cast.entrant("Birch"), ("passed",) * 30 + ("failed",) * 6)
    task = Task.objects.order_by("pk")[11]
    leave_out(tasks=Task.objects.filter(pk=task.pk), reason="It is wrong.", user=cast.dora)
    edition = scored_again(cast)
    text = text_of(client, edition.get_absolute_url())
    assert "Tasks were left out." in text
    assert "1 Birch 90.9" in text and " 1 83.3 " in text
    assert f"{task.id_in_dataset} left out It is wrong. 1" in text
    monkeypatch.setattr(editions, "MOST_TASKS", 0)
    assert "1 more change of a task" in client.get(edition.get_absolute_url()).text
    listed = text_of(client, f"{BOARD}editions/")
    assert listed.count("Tasks were left out.") == 1
    assert client.get(f"{BOARD}editions/").text.count("/editions/") >= 2


def test_an_edition_takes_a_constant_number_of_queries(
    cast: Cast, client: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(3):
        cast.judged_submission(cast.entrant(f"Larch {number}"), samples=1)
        with django_assert_max_num_queries(12):  # type: ignore[operator]
            client.get(Edition.objects.all()[0].get_absolute_url())
