"""Tests of the choices of the submit form."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.submissions.forms import SubmitForm, board_initial
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def filled(cast: Cast, **changes: str) -> SubmitForm:
    entrant = cast.northwood.entrants.first() or cast.entrant()
    data = {"board": f"{cast.rucodeeval.slug}/base", "entrant": entrant.slug} | changes
    files = {"file": SimpleUploadedFile("base.jsonl", b"{}\n")}
    return SubmitForm(data, files, user=cast.bob)


def test_what_is_not_offered_cannot_be_chosen(cast: Cast) -> None:
    foreign = cast.entrant("Heron 14B", cast.fenland).slug
    board = f"{cast.rucodeeval.slug}/multi_turn"
    assert set(filled(cast, board=board, entrant=foreign).errors) == {"board", "entrant"}
    form = SubmitForm({}, {}, user=cast.alice)
    assert form.errors["file"] == ["Choose the file with the generations."]
    Benchmark.objects.update(accepts=False)
    assert set(filled(cast).errors) == {"board"}


def test_a_benchmark_of_several_settings_is_a_group_of_choices(cast: Cast) -> None:
    slug, title = cast.codeif.slug, cast.codeif.title
    choices = dict(SubmitForm(user=cast.alice).fields["board"].choices)  # type: ignore[attr-defined]
    assert choices[title][3] == (f"{slug}/multi_turn", f"{title}, multi turn")


def test_an_address_names_board_and_entrant() -> None:
    query = {"benchmark": "rucodeeval", "setting": "base", "entrant": "larch"}
    assert board_initial(query) == {"board": "rucodeeval/base", "entrant": "larch"}


def test_a_benchmark_without_a_setting_means_its_first(cast: Cast) -> None:
    assert cast.codeif
    benchmark = cast.rucodeeval
    form = SubmitForm(initial=board_initial({"benchmark": benchmark.slug}), user=cast.alice)
    assert form.board_shown() == (benchmark, "base")
    assert f'value="{benchmark.slug}/base" selected' in str(form["board"])


def test_an_unknown_board_in_the_address_falls_back_to_the_first(cast: Cast) -> None:
    benchmark = cast.rucodeeval
    form = SubmitForm(initial={"board": "nowhere/base"}, user=cast.alice)
    assert form.board_shown() == (benchmark, "base")


def test_without_a_benchmark_there_is_no_board(cast: Cast) -> None:
    assert SubmitForm(user=cast.alice).board_shown() is None
