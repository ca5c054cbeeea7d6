"""Tests of the search."""

import re

import pytest
from django.test import Client

from leaderboard.accounts.models import Entrant
from leaderboard.accounts.names import mark_entrants
from leaderboard.benchmarks.models import Benchmark
from tests.leaderboard.pages.boards.published import page, results
from tests.leaderboard.pages.submissions.visits import SCRIPT, visitor
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def test_it_finds_benchmarks_entrants_and_tasks(cast: Cast, client: Client) -> None:
    results(cast, 1)
    task = cast.rucodeeval.current.tasks.order_by("number")[0]
    assert "/benchmarks/rucodeeval/" in page(client, "/search/?q=CODEEV").partition("<main")[2]
    assert "/entrants/model-00/" in page(client, "/search/?q=odel 0")
    assert f"/benchmarks/rucodeeval/tasks/{task.number}/" in page(
        client, f"/search/?q={task.external_id}"
    )
    assert f">{task.external_id}</a>" in page(client, f"/search/?q={task.title.upper()}")
    # In any case of any script, on both databases; organisations, too.
    birch = cast.entrant("Birch", organisation="Северный лес")
    Entrant.objects.filter(pk=birch.pk).update(name="Берёза", shown_name="Берёза")
    for text in ("БЕРЁЗА", "северный"):
        assert "Берёза</a>" in page(visitor(cast.alice), f"/search/?q={text}"), text
    part = client.get("/search/?q=model", headers={"HX-Request": "true"}).content.decode()
    assert part.startswith("<section>")


def test_it_finds_nothing_that_the_reader_may_not_see(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    task = cast.codeif.current.tasks.exclude(title="")[0]
    Benchmark.objects.filter(pk=cast.codeif.pk).update(listed=False)
    assert "Hidden Pine</a>" in page(visitor(cast.alice), "/search/?q=pine")
    for hidden in ("pine", "CodeIF", task.title):
        found = page(client, f"/search/?q={hidden}").partition('id="found"')[2]
        assert "Nothing is named" in found, hidden


def test_the_task_with_this_id_is_first_wherever_it_is(cast: Cast, client: Client) -> None:
    ids = ("13", "213", "1300", "130")
    tasks = cast.rucodeeval.current.tasks.order_by("number")[: len(ids)]
    for task, external_id in zip(tasks, reversed(ids), strict=True):
        task.external_id = external_id
        task.save()
    found = re.findall(r"tasks/\d+/\">(\d+)</a>", page(client, "/search/?q=13"))
    assert found == ["13", "130", "1300", "213"]


def test_one_letter_is_too_few_and_one_chinese_sign_is_a_word(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant("A \u6749"))
    for letter in ("e", "\u0436"):
        assert "two letters" in page(client, f"/search/?q={letter}")
    assert "\u6749</a>" in page(client, "/search/?q=\u6749")


def test_equal_names_show_their_teams(cast: Cast, client: Client) -> None:
    other = cast.team("Southwood", owner=cast.dora)
    cast.judged_submission(cast.entrant("Birch"))
    Entrant.objects.filter(slug="birch").update(slug="birch-1")
    cast.judged_submission(cast.entrant("Birch", team=other))
    mark_entrants()
    found = page(client, "/search/?q=birch")
    assert "Birch · Northwood</a>" in found and "Birch · Southwood</a>" in found


def test_it_shows_texts_of_people_as_texts(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant(SCRIPT))
    assert SCRIPT not in page(client, "/search/?q=script")
    assert SCRIPT not in page(client, f"/search/?q={SCRIPT}")
    assert page(client, "/search/?q=%00%ff")
