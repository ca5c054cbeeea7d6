"""Tests of a chart's address: who may see it, what it answers, and how long the answer is kept."""

import gzip
from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.benchmarks.models import Task
from leaderboard.submissions.models import Provenance, Submission, Visibility
from tests.leaderboard.boards.test_frames import board_of
from tests.leaderboard.pages.boards.chart_boards import FIRST_DAY, said
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

URL = "/benchmarks/rucodeeval/charts/{}.json"


def test_the_mean_over_all_benchmarks_is_drawn_against_three_sizes(
    cast: Cast, client: Client
) -> None:
    """Only entrants with every result and a known size are drawn. With many of them the chart is
    higher, so that it has room for their names."""
    for place, size in enumerate((32.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 14.0)):
        entrant = cast.entrant(f"Model {place}", parameters=size)
        assert client.get("/charts/size.json").status_code == 404
        assert "/charts/size" not in client.get("/").content.decode()
        cast.judged_submission(entrant)
        cast.judged_submission(entrant, benchmark=cast.codeif)
    cast.judged_submission(cast.entrant("Half", parameters=1.0))
    figure = client.get("/charts/size.json")
    assert figure.headers["Content-Type"] == "application/json"
    assert (b"Model 0" in figure.content, b"Half" in figure.content) == (True, False)
    home = client.get("/").content.decode()
    assert all(part in home for part in ("/charts/size/", "chart-tall"))
    numbers = client.get("/charts/size/").content.decode()
    assert numbers.index("Model 8</th>") < numbers.index("Model 0</th>")


def test_a_figure_is_answered_as_json(cast: Cast, client: Client) -> None:
    assert client.get(URL.format("passk")).status_code == 404
    board_of(cast, 4)
    for number, one in enumerate(Submission.objects.all()):
        Submission.objects.filter(pk=one.pk).update(published=FIRST_DAY + timedelta(days=number))
        Provenance.objects.create(submission=one, said=said(300 + number))
    for name in ("passk", "size", "tasks", "time", "tokens"):
        response = client.get(URL.format(name))
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "application/json"
        assert set(response.json()) == {"data", "layout", "themes"}
        assert "NaN" not in response.content.decode()
    for name in ("breakdown", "references", "unknown"):
        assert client.get(URL.format(name)).status_code == 404


def test_an_answer_is_never_used_unasked_and_its_tag_saves_sending_it_again(
    cast: Cast, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Another language has another tag; a compressed answer has the same one."""
    board_of(cast, 4)
    first = client.get(URL.format("tasks"))
    assert first.headers["Cache-Control"] == "private, no-cache"
    with django_assert_max_num_queries(4):
        again = client.get(URL.format("tasks"), headers={"if-none-match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    russian = client.get(URL.format("tasks"), headers={"accept-language": "ru"})
    assert russian.headers["ETag"] != first.headers["ETag"]
    gzipped = {"accept-encoding": "gzip", "accept-language": "en"}
    packed = client.get(URL.format("tasks"), headers=gzipped)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == first.content
    tag = packed.headers["ETag"]
    again = client.get(URL.format("tasks"), headers={**gzipped, "if-none-match": tag})
    assert again.status_code == 304


def test_a_charts_table_is_a_page_and_for_scripts_a_part_of_one(cast: Cast, client: Client) -> None:
    board_of(cast, 4)
    url = "/benchmarks/rucodeeval/charts/tasks/"
    page, part = client.get(url), client.get(url, headers={"HX-Request": "true"})
    assert page.content.count(b"<table") == part.content.count(b"<table") == 1
    assert (b"<h1>" in page.content, b"<h1>" in part.content) == (True, False)
    assert "HX-Request" in page.headers["Vary"]
    link = '<a href="/benchmarks/rucodeeval/tasks/{}/?revision=sample&amp;setting=base">'
    for number, name in Task.objects.values_list("number", "external_id"):
        assert f"{link.format(number)}{name}</a>" in page.text
    assert b"Entrant 2" in part.content
    Submission.objects.filter(entrant__name="Entrant 2").update(visibility=Visibility.PRIVATE)
    assert b"Entrant 2" not in client.get(url).content
    unknown = ("/benchmarks/rucodeeval/charts/breakdown/", "/benchmarks/rucodeeval/charts/none/")
    assert [client.get(one).status_code for one in unknown] == [404, 404]
