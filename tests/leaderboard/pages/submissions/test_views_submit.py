"""The page for uploading a file."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.urls import reverse
from pytest_django.fixtures import Settings

from leaderboard.accounts.models import Entrant, User
from leaderboard.pages.submissions.forms import SubmitForm, board_initial
from leaderboard.pages.submissions.views.submit import format_examples
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import Upload, UploadState
from tests.leaderboard.pages.submissions.visits import checked, sample, visitor
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

SUBMIT = "/submit/"


def send(cast: Cast, user: User, entrant: Entrant, **headers: str) -> HttpResponse:
    file = SimpleUploadedFile("base.jsonl", predictions(cast.rucodeeval))
    board = f"{cast.rucodeeval.slug}/base"
    data = {"board": board, "entrant": entrant.slug, "file": file}
    return visitor(user).post(SUBMIT, data, headers=headers)


def test_what_the_address_names_is_chosen(cast: Cast) -> None:
    entrant, benchmark = cast.entrant(), cast.codeif
    query = {"benchmark": benchmark.slug, "setting": "two_round", "entrant": entrant.slug}
    page = visitor(cast.bob).get(SUBMIT, query).text
    assert f'<option value="{benchmark.slug}/two_round" selected>' in page
    assert f'<option value="{entrant.slug}" selected>' in page


def test_a_form_or_a_script_sends_the_file_and_is_led_to_the_upload(cast: Cast) -> None:
    entrant = cast.entrant()
    answer = send(cast, cast.bob, entrant)
    upload = Upload.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/uploads/{upload.pk}/")
    assert (upload.state, upload.user) == (UploadState.RECEIVED, cast.bob)
    assert upload.name == "base.jsonl"
    answer = send(cast, cast.bob, entrant, x_requested_with="XMLHttpRequest")
    assert answer["HX-Redirect"] == f"/uploads/{Upload.objects.latest('pk').pk}/"


def test_a_file_too_large_is_refused_in_words_and_choices_are_kept(
    cast: Cast, settings: Settings
) -> None:
    settings.UPLOAD_MOST_BYTES = 10
    entrant = cast.entrant()
    answer = send(cast, cast.bob, entrant)
    assert (answer.status_code, Upload.objects.count()) == (422, 0)
    assert "The file is larger than" in answer.text
    assert f'<option value="{entrant.slug}" selected>' in answer.text


def test_without_a_team_one_is_led_to_create_one(cast: Cast) -> None:
    assert cast.rucodeeval
    assert reverse("team-new") in visitor(cast.dora).get(SUBMIT).text


def test_without_an_entrant_one_is_led_to_create_one(cast: Cast) -> None:
    assert cast.rucodeeval
    page = visitor(cast.northwood.memberships.last().user).get(SUBMIT).text
    assert reverse("entrant-new", args=["northwood"]) in page


def test_without_a_benchmark_the_page_says_so(cast: Cast) -> None:
    cast.entrant()
    assert "No benchmark accepts submissions now" in visitor(cast.alice).get(SUBMIT).text


def test_the_formats_follow_the_chosen_board(cast: Cast) -> None:
    cast.entrant()
    board = {"board": f"{cast.codeif.slug}/two_round"}
    page = visitor(cast.alice).get(SUBMIT, board, headers={"hx-request": "true"}).text
    assert page.startswith("<section")
    assert f'href="{reverse("tasks", args=[cast.codeif.slug])}"' in page
    assert "&quot;requirement&quot;" in page


def test_examples_hold_ids_and_requirements_of_the_benchmark(cast: Cast) -> None:
    first = format_examples(cast.codeif, "single_round")[0].text.splitlines()[0]
    task = cast.codeif.current.tasks.first()  # type: ignore[union-attr]
    record = json.loads(first)
    assert record["task_id"] == task.id_in_dataset
    assert record["requirement"] in task.public["requirements"]


def test_a_benchmark_that_takes_classes_shows_them_first(cast: Cast) -> None:
    lines, classes, *_more = format_examples(sample("aixbench_auto", "checkout"), "base")
    assert json.loads(lines.text.splitlines()[1]) == {"task_id": 1, "code": "first answer"}
    assert classes.text.splitlines() == ["Model0.java", "Model1.java"]


def test_which_files_are_taken_follows_the_chosen_board(cast: Cast) -> None:
    sample("aixbench_auto", "checkout")
    cast.entrant()
    reader, polling = visitor(cast.bob), {"HX-Request": "true"}
    assert "a .java file for each task" in reader.get(SUBMIT, {"benchmark": "aixbench-auto"}).text
    assert (
        "a .java file for each task" not in reader.get(SUBMIT, {"benchmark": cast.codeif.slug}).text
    )
    part = reader.get(SUBMIT, {"board": "aixbench-auto/base"}, headers=polling).text
    assert '<p id="file-hint" hx-swap-oob="true">' in part and "a .java file for each task" in part


@pytest.mark.parametrize("setting", ["base", "single_round"])
def test_the_template_fits_its_board_and_its_empty_texts_are_noticed(
    cast: Cast, setting: str
) -> None:
    benchmark, entrant = cast.codeif, cast.entrant()
    page = visitor(cast.bob).get(SUBMIT, {"benchmark": benchmark.slug, "setting": setting}).text
    address = reverse("submit-template", args=[benchmark.slug, setting])
    assert f'href="{address}"' in page
    content = visitor().get(address).getvalue()
    upload = checked(entrant, cast.bob, benchmark, content, setting=setting)
    understood = Understood.from_upload(upload)
    assert (understood.problems, understood.missing) == ((), ())
    total = understood.generations
    assert f"{total} of {total} generations are empty" in understood.warnings[0]


def test_a_setting_of_transcripts_has_no_template(cast: Cast) -> None:
    assert cast.entrant()
    query = {"benchmark": cast.codeif.slug, "setting": "dynamic"}
    assert "all tasks</a>" not in visitor(cast.bob).get(SUBMIT, query).text
    address = reverse("submit-template", args=[cast.codeif.slug, "dynamic"])
    assert visitor().get(address).status_code == 404


# --- The choices of the form ----------------------------------------------------------------


def test_the_first_setting_or_board_stands_in_for_one_that_is_not_named(cast: Cast) -> None:
    benchmark = cast.rucodeeval
    form = SubmitForm(initial={"board": "nowhere/base"}, user=cast.alice)
    assert form.board_shown() == (benchmark, "base")
    assert cast.codeif
    form = SubmitForm(initial=board_initial({"benchmark": benchmark.slug}), user=cast.alice)
    assert form.board_shown() == (benchmark, "base")
    assert f'value="{benchmark.slug}/base" selected' in str(form["board"])
