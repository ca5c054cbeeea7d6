"""Tests of zips with files for several boards: an upload for each file, together on one page."""

import io
import stat
import zipfile
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from evaluation import jobs
from evaluation.work import sending
from leaderboard.accounts.models import User
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.intake import Understood, forget_files
from leaderboard.submissions.models import Submission, Upload, UploadState
from tests.leaderboard.pages.submissions.visits import checked, visitor
from tests.support.cast import FAMILIES, Cast, predictions

pytestmark = pytest.mark.any_database

SETTINGS = {"base": "base", "multi_round": "two_round", "n_round": "multi_turn"}


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return target.getvalue()


def folders(cast: Cast, *more: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    """A zip with CodeIF-Bench's folders by setting, for one model."""
    good = [
        (f"claude/{folder}.jsonl", predictions(cast.codeif, setting=setting))
        for folder, setting in SETTINGS.items()
    ]
    return zipped(*good, *more)


def send(cast: Cast, content: bytes, board: str = "", user: User | None = None) -> HttpResponse:
    file = SimpleUploadedFile("claude.zip", content)
    board = board or f"{cast.codeif.slug}/base"
    data = {"board": board, "entrant": cast.entrant().slug, "file": file}
    return visitor(user or cast.bob).post("/submit/", data)


def check_all() -> None:
    for upload in Upload.objects.filter(state=UploadState.RECEIVED).order_by("pk"):
        jobs.check_upload(upload.pk)


def states() -> Sequence[tuple[str, str]]:
    return list(Upload.objects.order_by("pk").values_list("member", "state"))


def test_setting_folders_become_uploads_and_a_refused_one_does_not_lose_the_others(
    cast: Cast,
) -> None:
    wrong = ("claude/single_round.jsonl", b"not json")
    answer = send(cast, folders(cast, wrong, ("claude/notes.md", b"mine")))
    first = Upload.objects.earliest("pk")
    page = reverse("upload-zip", args=[first.pk])
    assert answer["Location"] == page
    check_all()
    assert states() == [
        *((f"claude/{folder}.jsonl", "checked") for folder in SETTINGS),
        ("claude/single_round.jsonl", "refused"),
    ]
    text = visitor(cast.bob).get(page).text
    assert "Submit 3 files for judging" in text
    assert "not valid JSON" in text
    assert "claude/notes.md" in text and "contains no benchmark of this site" in text
    for _press in range(2):
        visitor(cast.bob).post(reverse("upload-zip-confirm", args=[first.pk]))
    for upload in Upload.objects.filter(state=UploadState.CONFIRMED):
        jobs.store_upload(upload.pk)
    assert {*Submission.objects.values_list("setting", flat=True)} == {*SETTINGS.values()}
    text = visitor(cast.bob).get(page).text
    for submission in Submission.objects.all():
        assert f'href="{submission.get_absolute_url()}"' in text
        shown = visitor(cast.bob).get(submission.get_absolute_url()).text
        assert f"file <b>{submission.upload.member}</b>" in shown  # type: ignore[union-attr]


def test_the_benchmarks_of_a_mera_submission_become_uploads(cast: Cast) -> None:
    content = zipped(
        ("out/ruCodeEval.json", predictions(cast.rucodeeval)),
        (f"out/{cast.codeif.slug}/base.json", predictions(cast.codeif)),
    )
    send(cast, content)
    check_all()
    found = Upload.objects.filter(state=UploadState.CHECKED).values_list(
        "revision__benchmark", flat=True
    )
    assert sorted(found) == sorted([cast.rucodeeval.pk, cast.codeif.pk])


def test_the_warnings_of_a_file_stand_next_to_the_button_that_submits_it(cast: Cast) -> None:
    shorter = predictions(cast.codeif).splitlines(keepends=True)[1:]
    content = zipped(
        ("claude/base.jsonl", b"".join(shorter)),
        ("claude/multi_round.jsonl", predictions(cast.codeif, setting="two_round")),
    )
    send(cast, content)
    slug = Upload.objects.earliest("pk").entrant.slug
    data = {"board": f"{cast.codeif.slug}/base", "entrant": slug}
    visitor(cast.bob).post("/submit/", {**data, "file": SimpleUploadedFile("claude.zip", content)})
    check_all()
    earlier, _other, first, _second = Upload.objects.order_by("pk")
    pages = [reverse("upload-zip", args=[one.pk]) for one in (earlier, first)]
    before, text = [visitor(cast.bob).get(page).text for page in pages]
    assert text.count("tasks have no generation: they will count as 1 wrong sample.") == 1
    same = f'<a href="{earlier.get_absolute_url()}">The same file</a> was uploaded on'
    assert same in text
    assert (text.count("The same file"), "The same file" in before) == (2, False)
    visitor(cast.bob).post(reverse("upload-zip-confirm", args=[first.pk]))
    assert "The same file" not in visitor(cast.bob).get(pages[1]).text


def test_a_file_of_a_zip_that_needs_a_confirmation_is_not_submitted_with_the_others(
    cast: Cast,
) -> None:
    few = predictions(cast.codeif).splitlines(keepends=True)[0]
    rounds = predictions(cast.codeif, setting="two_round")
    content = zipped(("base.jsonl", few), ("multi_round.jsonl", rounds))
    send(cast, content)
    check_all()
    first = Upload.objects.earliest("pk")
    page = reverse("upload-zip", args=[first.pk])
    text = visitor(cast.bob).get(page).text
    assert "The file covers only 1 of" in text
    assert "1 file needs a confirmation: open it to submit it." in text
    visitor(cast.bob).post(reverse("upload-zip-confirm", args=[first.pk]))
    first.refresh_from_db()
    assert first.state == UploadState.CHECKED


def test_the_live_part_of_a_zip_is_not_sent_again_unchanged(cast: Cast) -> None:
    send(cast, folders(cast))
    client = visitor(cast.bob)
    live = reverse("upload-zip-live", args=[Upload.objects.earliest("pk").pk])
    version = client.get(live).text.partition("seen=")[2].partition('"')[0]
    assert client.get(live, {"seen": version}).status_code == 204
    check_all()
    assert client.get(live, {"seen": version}).status_code == 286


def test_a_file_that_is_being_stored_says_how_far_it_is(cast: Cast) -> None:
    send(cast, folders(cast))
    check_all()
    first = Upload.objects.filter(state=UploadState.CHECKED).earliest("pk")
    number = Understood.from_upload(first).generations
    Upload.objects.filter(pk=first.pk).update(state=UploadState.STORING, attempt=2)
    place = {"entrant": first.entrant, "revision": first.revision, "setting": first.setting}
    Submission.with_unfinished.create(**place, upload=first, storing=2, generations_count=5)
    text = visitor(cast.bob).get(reverse("upload-zip", args=[first.batch_id])).text
    assert text.count(f"5 of {number} generations stored") == 1


def test_one_file_for_the_chosen_board_is_an_upload_like_any(cast: Cast) -> None:
    content = zipped(("x/base.jsonl", predictions(cast.codeif)), ("x/readme.txt", b"?"))
    answer = send(cast, content)
    upload = Upload.objects.get()
    assert answer["Location"] == upload.get_absolute_url()
    check_all()
    assert states() == [("x/base.jsonl", "checked")]


def test_a_zip_whose_names_tell_no_board_is_refused_as_a_whole(cast: Cast) -> None:
    send(cast, zipped(("a.jsonl", b"x"), ("b.jsonl", b"y")))
    check_all()
    assert states() == [("", "refused")]
    assert "contains 2 files" in Understood.from_upload(Upload.objects.get()).problems[0].sentence


def test_the_file_is_kept_until_no_upload_of_its_zip_needs_it(cast: Cast) -> None:
    send(cast, folders(cast))
    check_all()
    path = Path(Upload.objects.earliest("pk").file.path)
    for upload in Upload.objects.all():
        assert path.exists()
        visitor(cast.bob).post(reverse("upload-discard", args=[upload.pk]))
    assert not path.exists()


def test_expired_uploads_of_a_zip_leave_the_file_to_one_that_moves(cast: Cast) -> None:
    send(cast, folders(cast))
    check_all()
    first = Upload.objects.earliest("pk")
    path = Path(first.file.path)
    Upload.objects.update(expires=timezone.now() - timedelta(days=1))
    Upload.objects.filter(pk=first.pk).update(state=UploadState.CONFIRMED)
    assert (forget_files(), path.exists()) == (2, True)
    jobs.store_upload(first.pk)
    assert Submission.objects.get().generations_count == len(predictions(cast.codeif).splitlines())
    assert (forget_files(), path.exists()) == (1, False)


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (("single_round/x.json", zipped(("x.json", b"{}"))), "packed more than once"),
        ((link("single_round/x.json"), b"/etc/passwd"), "not valid JSON"),
        (("../../single_round.json", b"[" * 9000), "was probably cut off"),
    ],
)
def test_a_harmful_file_of_a_zip_is_refused_by_itself(
    cast: Cast, member: tuple[str | zipfile.ZipInfo, bytes], words: str
) -> None:
    send(cast, folders(cast, member))
    check_all()
    refused = Upload.objects.get(state=UploadState.REFUSED)
    assert words in Understood.from_upload(refused).problems[0].sentence
    assert Upload.objects.filter(state=UploadState.CHECKED).count() == 3


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_a_zip_has_twice_is_used_for_nothing(cast: Cast) -> None:
    twice = ("claude/base.jsonl", predictions(cast.codeif))
    send(cast, folders(cast, twice))
    assert "claude/base.jsonl" not in dict(states())
    page = visitor(cast.bob).get(reverse("upload-zip", args=[Upload.objects.earliest("pk").pk]))
    assert "2 files of the zip are for" in page.text


def test_an_undeclared_run_in_a_zip_is_left_out_with_the_reason(cast: Cast) -> None:
    Benchmark.objects.filter(pk=cast.codeif.pk).update(declared=True)
    content = zipped(
        ("ruCodeEval.json", predictions(cast.rucodeeval)), ("base.json", predictions(cast.codeif))
    )
    send(cast, content)
    upload = Upload.objects.get()
    assert (upload.member, upload.batch) == ("ruCodeEval.json", upload)
    page = visitor(cast.bob).get(reverse("upload-zip", args=[upload.pk])).text
    assert "needs a declaration before the upload" in page


def test_a_file_that_fits_several_benchmarks_says_so(cast: Cast, tmp_path: Path) -> None:
    """The sample of another benchmark has the same ids; a requirement tells them apart."""
    twin = import_revision(
        family_slug="rucodeeval",
        tasks=FAMILIES / "rucodeeval/sample/tasks.jsonl",
        answers=FAMILIES / "rucodeeval/sample/answers.jsonl",
        label="twin",
        slug="twin",
    ).benchmark
    Benchmark.objects.filter(pk=twin.pk).update(title="Twin")
    for name in ("tasks.jsonl", "answers.jsonl"):
        lines = (FAMILIES / "rucodeeval/sample" / name).read_bytes().splitlines(keepends=True)
        (tmp_path / name).write_bytes(b"".join(lines[:6]))
    half = import_revision(
        family_slug="rucodeeval",
        tasks=tmp_path / "tasks.jsonl",
        answers=tmp_path / "answers.jsonl",
        label="half",
        slug="half",
    )
    Benchmark.objects.filter(pk=half.benchmark.pk).update(title="Half")
    entrant = cast.entrant()
    upload = checked(entrant, cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))
    assert (
        "All its task ids also exist in" in visitor(cast.alice).get(upload.get_absolute_url()).text
    )
    content = b"".join(predictions(cast.rucodeeval).splitlines(keepends=True)[:5])
    upload = checked(entrant, cast.alice, cast.rucodeeval, content)
    asked = " ".join(Understood.from_upload(upload).confirmations)
    assert "has 5 tasks: of 12 in this benchmark, but of 6 in Half, which fits better." in asked
    upload = checked(entrant, cast.alice, half.benchmark, predictions(cast.rucodeeval))
    first, *others = Understood.from_upload(upload).problems
    for title in ("ruCodeEval", "Twin", "All task ids of the file exist in"):
        assert title in first.sentence
    assert {problem.task_id for problem in others} == {str(task) for task in range(6, 11)}
    content = predictions(cast.codeif, setting="two_round")
    upload = checked(entrant, cast.alice, cast.codeif, content, setting="two_round")
    assert "also exist" not in str(Understood.from_upload(upload).warnings)
    Benchmark.objects.update(listed=False)
    upload = checked(entrant, cast.alice, half.benchmark, predictions(cast.rucodeeval))
    assert "exist in" not in str(Understood.from_upload(upload).problems)
    upload = checked(entrant, cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))
    assert "also exist" not in str(Understood.from_upload(upload).warnings)


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks and stores waiting uploads each time a command looks again."""

    def work(_seconds: float) -> None:
        check_all()
        for upload in Upload.objects.filter(state=UploadState.CONFIRMED).order_by("pk"):
            jobs.store_upload(upload.pk)

    monkeypatch.setattr(sending, "time", SimpleNamespace(sleep=work))


def test_the_command_submits_the_files_of_a_zip_as_the_pages_do(
    cast: Cast, at_work: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, entrant = tmp_path / "claude.zip", cast.entrant()
    bad = ("ruCodeEval.jsonl", b'{"task_id": "none", "completion": "x"}')
    file.write_bytes(folders(cast, bad, ("notes.md", b"mine")))
    assert cast.rucodeeval
    with pytest.raises(CommandError, match="1 of 4 files were not submitted"):
        call_command("submit", cast.codeif.slug, file, "--entrant", entrant.slug)
    found = Submission.objects.values_list("setting", flat=True).order_by("pk")
    assert [*found] == [*SETTINGS.values()]
    said = capsys.readouterr()
    assert "claude/n_round.jsonl: " in said.out
    assert "ruCodeEval" in said.err
    assert "notes.md is not used: " in said.err


def test_the_command_says_what_is_wrong_with_a_file(
    cast: Cast, at_work: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "predictions.jsonl"
    file.write_bytes(b'{"task_id": "none", "completion": "x"}')
    with pytest.raises(CommandError, match=r"Correct it and send it again\."):
        call_command("submit", cast.rucodeeval.slug, file, "--entrant", cast.entrant().slug)
    assert "line 1" in capsys.readouterr().err
    assert not Submission.objects.exists()


def test_the_command_asks_for_the_confirmation_that_the_page_asks_for(
    cast: Cast, at_work: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "few.jsonl"
    file.write_bytes(b"".join(predictions(cast.rucodeeval).splitlines(keepends=True)[:5]))
    submit = partial(
        call_command, "submit", cast.rucodeeval.slug, file, entrant=cast.entrant().slug
    )
    with pytest.raises(CommandError, match=r"Not submitted: few\.jsonl.*--confirmed"):
        submit()
    assert "5 of 12" in capsys.readouterr().err
    assert not Submission.objects.exists()
    submit(confirmed=True)
    assert Submission.objects.get().generations_count
