"""Tests of the admin: what staff see, what they import, what they decide."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from auditlog.models import LogEntry as AuditEntry
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.engine.records import Evidence, Integrity, Limits, Status, evidence_text
from evaluation.engine.registry import FAMILIES as FAMILIES_BY_SLUG
from evaluation.models import (
    Chunk,
    ChunkState,
    Evaluation,
    EvaluationState,
    ReferenceVerdict,
    Review,
    Verdict,
    Worker,
)
from evaluation.state.references import keep_failure
from leaderboard.accounts.models import Entrant, Team, User
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.scores.models import Board, Score, Standing, TaskResult
from leaderboard.site_admin.benchmark_forms import BenchmarkForm
from leaderboard.submissions.models import Generation, LedgerEntry, Submission, Upload
from tests.leaderboard.pages.submissions.visits import received, visitor
from tests.support.cast import FAMILIES, Cast, clerk
from tests.support.wordings import WORDING

pytestmark = pytest.mark.any_database

MODELS = [Benchmark, Revision, Task, Evaluation, Chunk, Verdict, Worker]
MODELS += [TaskResult, Score, Board, Standing, User, Team, Entrant]
IMPORT = "/admin/benchmarks/benchmark/import/"
SAMPLE = FAMILIES / "rucodeeval/sample"


def page_of(model: type, page: str, *arguments: Any) -> str:
    meta = admin.site._registry[model].opts
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=arguments)


def filled(cast: Cast, rows: int) -> None:
    """Stores `rows` of everything that a list shows, teams and revisions included."""
    for number in range(rows):
        entrant = cast.entrant(f"Larch {number}", cast.team(f"Team {number}", owner=cast.alice))
        cast.judged_submission(entrant, samples=1)
        now = Evaluation.objects.latest("pk").created
        Worker.objects.create(name=f"w{number}", host="a", started=now, seen=now)
        cast.rucodeeval.revisions.create(label=f"r{number}", sha256="0" * 64)


def queries_of(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_every_list_takes_a_constant_number_of_queries(staff: Client, cast: Cast) -> None:
    lists = [page_of(model, "changelist") for model in MODELS]
    filled(cast, 2)
    few = {address: queries_of(staff, address) for address in lists}
    for number in range(9):
        cast.entrant(f"More {number}", cast.team(f"More {number}", owner=cast.bob))
    for entrant in Entrant.objects.filter(name__startswith="More"):
        cast.judged_submission(entrant, samples=1)
        cast.rucodeeval.revisions.create(label=entrant.name, sha256="0" * 64)
    assert {address: queries_of(staff, address) for address in lists} == few


def test_every_row_has_a_page_without_lists_of_thousands(staff: Client, cast: Cast) -> None:
    filled(cast, 1)
    for model in MODELS:
        row = model._default_manager.first()
        answer = staff.get(page_of(model, "change", row.pk))
        assert answer.status_code == 200, model
        chosen_from = set(re.findall(r'<select name="([a-z_]+)"', answer.text))
        # A benchmark's own revisions; and groups and permissions, which are few.
        few = {"current", "weights", "groups", "user_permissions", "action"}
        assert chosen_from <= few, model
        editable = model in (Benchmark, User, Team, Entrant)
        assert ('name="_save"' in answer.text) is editable, model


def test_every_list_can_be_searched(staff: Client, cast: Cast) -> None:
    filled(cast, 1)
    for model, page in admin.site._registry.items():
        if page.search_fields:
            assert staff.get(page_of(model, "changelist"), {"q": "1"}).status_code == 200, model


PARTICULARS = {
    "slug": "rucodeeval",
    "title": "ruCodeEval",
    "setting": "base",
    "metric": "pass@1",
    "skills": "Russian, conversation",
    "limits_cpu_seconds": "2.5",
    "human_baseline": "0.9",
    "counts_from_later": "on",
    "counts_from_base": "2026-05-01",
}


def test_staff_change_a_benchmarks_particulars(staff: Client, cast: Cast) -> None:
    address = page_of(Benchmark, "change", cast.rucodeeval.pk)
    assert staff.post(address, PARTICULARS).status_code == 302
    changed = Benchmark.objects.get()
    assert (changed.limits, changed.human_baseline) == ({"cpu_seconds": 2.5}, 0.9)
    assert changed.counts_from == {"base": "2026-05-01"}
    assert changed.skills == ["Russian", "conversation"]
    page = staff.get(address).text
    for shown in ('value="2.5"', 'value="2026-05-01"', 'value="Russian, conversation"'):
        assert shown in page
    staff.post(address, PARTICULARS | {"counts_from_base": ""})
    assert Benchmark.objects.get().counts_from == {"base": None}
    empty = {name: "" for name in PARTICULARS if "_" in name} | {"skills": ""}
    staff.post(address, PARTICULARS | empty)
    changed = Benchmark.objects.get()
    assert (changed.counts_from, changed.limits, changed.skills) == ({}, {}, [])


def test_a_skill_is_one_column_however_it_is_spelled(staff: Client, cast: Cast) -> None:
    assert cast.codeif.skills == ["instruction following"]
    cast.rucodeeval.skills = ["Instruction Following", "Python"]
    cast.rucodeeval.save()
    larch = cast.entrant("Larch")
    for benchmark in (cast.rucodeeval, cast.codeif):
        cast.judged_submission(larch, benchmark=benchmark)
    columns = [one["column"] for one in staff.get("/means.json?by=skill").json()["columns"]]
    assert columns == ["~mean", "instruction following", "Python"]
    _, *means = staff.get(larch.get_absolute_url()).text.split('class="bar-name">')
    named = [mean.partition("</span>")[0] for mean in means]
    assert {"Mean", 'Python <span class="second">skill'} <= set(named)
    address = page_of(Benchmark, "change", cast.rucodeeval.pk)
    typed = "Instruction  Following, Python, instruction following"
    staff.post(address, PARTICULARS | {"skills": typed})
    changed = Benchmark.objects.get(pk=cast.rucodeeval.pk)
    assert changed.skills == ["instruction following", "Python"]


def test_every_limit_has_a_field() -> None:
    assert [*BenchmarkForm.base_fields["limits"].names] == [one.name for one in fields(Limits)]


WRONG = {
    "setting": ("none such",),
    "human_baseline": ("90",),
    "skills": ("x" * 501,),
    "counts_from_base": ("soon", "20260501"),
    "counts_from_later": ("",),
    "limits_cpu_seconds": ("-1", "NaN", "x"),
    "limits_pids": ("1.5",),
    "limits_memory": ("1024",),
}


def test_what_could_not_be_judged_by_is_refused(staff: Client, cast: Cast) -> None:
    address = page_of(Benchmark, "change", cast.rucodeeval.pk)
    for field, values in WRONG.items():
        for value in values:
            response = staff.post(address, PARTICULARS | {field: value})
            (wrong,) = response.context["adminform"].form.errors
            assert field.startswith(wrong), value


ACCOUNTS = ("view", "add", "change", "delete")
RIGHTS = {"is_staff": "on", "is_superuser": "on", "groups": "1", "user_permissions": "1"}


def account_form(person: User, **more: str) -> dict[str, str]:
    rows = {"TOTAL": "0", "INITIAL": "0", "MIN_NUM": "0", "MAX_NUM": "1000"}
    management = {f"emailaddress_set-{name}_FORMS": number for name, number in rows.items()}
    day = {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}
    names = {"username": person.username, "email": person.email, "is_active": "on"}
    return names | day | management | more


@pytest.fixture
def registrar(db: None) -> Client:
    """Staff who may do everything with accounts except what superusers may."""
    models = ("user", "emailaddress", "group", "authenticator")
    return clerk(*(f"{step}_{model}" for step in ACCOUNTS for model in models))


def test_who_may_change_accounts_gives_nobody_rights(registrar: Client, cast: Cast) -> None:
    group = Group.objects.create(pk=1, name="moderators")
    answer = registrar.post(
        page_of(User, "change", cast.alice.pk), account_form(cast.alice, **RIGHTS)
    )
    assert answer.status_code == 302
    alice = User.objects.get(pk=cast.alice.pk)
    assert (alice.is_staff, alice.is_superuser, alice.get_all_permissions()) == (
        False,
        False,
        set(),
    )
    new = {"username": "erin", "email": "erin@example.org", "usable_password": "false"}
    registrar.post(page_of(User, "add"), account_form(cast.alice, **RIGHTS) | new)
    assert not User.objects.get(username="erin").is_staff
    form = {"name": "moderators", "permissions": "1"}
    assert registrar.post(page_of(Group, "change", group.pk), form).status_code == 403
    assert not group.permissions.exists()
    assert registrar.post(page_of(Group, "delete", group.pk), {"post": "yes"}).status_code == 403
    group.user_set.add(cast.alice)
    delete = {"action": "delete_selected", "_selected_action": group.pk, "post": "yes"}
    registrar.post(page_of(Group, "changelist"), delete)
    assert group.user_set.exists()
    assert registrar.post(page_of(Group, "add"), form | {"name": "all"}).status_code == 403
    assert not Group.objects.filter(name="all").exists()


@pytest.mark.parametrize("right", ["is_staff", "is_superuser"])
def test_who_may_change_accounts_takes_over_none_of_staff(
    registrar: Client, cast: Cast, right: str
) -> None:
    """Neither by a password, nor by an address that resets it, nor without a second factor."""
    rights = {name: name == right for name in ("is_staff", "is_superuser")}
    User.objects.filter(pk=cast.dora.pk).update(**rights)
    factor = Authenticator.objects.create(user=cast.dora, type="totp", data={"secret": "x"})
    row, password = page_of(User, "change", cast.dora.pk), {"password1": "xyz", "password2": "xyz"}
    address = {
        "emailaddress_set-TOTAL_FORMS": "1",
        "emailaddress_set-0-email": "bob2@example.org",
        "emailaddress_set-0-verified": "on",
    }
    for url, data in (
        (row, account_form(cast.dora, email="bob2@example.org") | address),
        (row.replace("/change/", "/password/"), password),
        (row.replace("/change/", "/delete/"), {"post": "yes"}),
        (page_of(Authenticator, "delete", factor.pk), {"post": "yes"}),
        ("/admin/account/emailaddress/add/", {"user": cast.dora.pk, "email": "bob2@example.org"}),
    ):
        assert registrar.post(url, data).status_code in (302, 403, 404), url
    dora = User.objects.get(pk=cast.dora.pk)
    assert (dora.email, dora.password) == (cast.dora.email, cast.dora.password)
    assert list(dora.emailaddress_set.values_list("email", flat=True)) == [cast.dora.email]
    assert dora.authenticator_set.exists()
    assert str(cast.dora.username) not in registrar.get(page_of(User, "changelist")).text


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("BOB@example.org", False)], "already exists"),
        ([("bob@example.org", False)], "already exists"),
        ([("new@example.org", False), ("New@example.org", False)], "duplicate data"),
        ([("new@example.org", True), ("other@example.org", True)], "Only one address can be"),
        ([("ALICE@example.org", False)], "Another account has confirmed this e-mail. Use another"),
    ],
)
def test_addresses_that_the_database_would_refuse_are_refused_in_a_sentence(
    staff: Client, cast: Cast, rows: list[tuple[str, bool]], message: str
) -> None:
    bob = cast.bob
    assert cast.alice.confirmed
    form = account_form(bob, **{"emailaddress_set-TOTAL_FORMS": str(len(rows))})
    for number, (email, primary) in enumerate(rows):
        form[f"emailaddress_set-{number}-email"] = email
        form[f"emailaddress_set-{number}-verified"] = "on"
        form |= {f"emailaddress_set-{number}-primary": "on"} if primary else {}
    answer = staff.post(page_of(User, "change", bob.pk), form)
    assert (answer.status_code, message in answer.text) == (200, True)
    assert bob.emailaddress_set.count() == 1


@pytest.mark.parametrize(("to_first", "deletes"), [(True, True), (False, False)])
def test_the_primary_address_moves_in_one_step(
    staff: Client, cast: Cast, to_first: bool, deletes: bool
) -> None:
    cast.bob.emailaddress_set.update(primary=not to_first)
    second = {"email": "second@example.org", "primary": to_first}
    rows = [cast.bob.emailaddress_set.get(), cast.bob.emailaddress_set.create(**second)]
    form = account_form(
        cast.bob, **{f"emailaddress_set-{n}_FORMS": "2" for n in ("TOTAL", "INITIAL")}
    )
    for number, row in enumerate(rows):
        values = {"id": str(row.pk), "user": str(cast.bob.pk), "email": row.email}
        if (number == 0) == to_first:
            values["primary"] = "on"
        elif deletes:
            values |= {"DELETE": "on", "primary": "on"}
        form |= {f"emailaddress_set-{number}-{name}": value for name, value in values.items()}
    assert staff.post(page_of(User, "change", cast.bob.pk), form).status_code == 302
    expected = rows[0 if to_first else 1]
    assert cast.bob.emailaddress_set.get(primary=True) == expected
    assert cast.bob.emailaddress_set.count() == (1 if deletes else 2)


def deletions() -> list[tuple[str | None, str, User | None]]:
    entries = AuditEntry.objects.get_for_model(User).filter(action=AuditEntry.Action.DELETE)
    return [(entry.object_pk, entry.object_repr, entry.actor) for entry in entries]


@pytest.mark.parametrize(
    ("name", "reason"), [("dora", "the last superuser"), ("bob", "A team needs an owner")]
)
def test_people_are_deleted_all_or_none_and_the_reason_is_shown(
    staff: Client, cast: Cast, name: str, reason: str
) -> None:
    """Their deletions are recorded by number, and only when they happened."""
    cast.team("Two", owner=cast.bob).memberships.create(user=cast.dora)
    people = [cast.alice, User.objects.get(username=name)]
    delete = {"action": "delete_selected", "post": "yes"}
    keys = {"_selected_action": [person.pk for person in people]}
    page = staff.post(page_of(User, "changelist"), delete | keys, follow=True).text
    assert (reason in page, "Successfully deleted" in page) == (True, False)
    page = staff.post(page_of(User, "delete", people[1].pk), {"post": "yes"}, follow=True).text
    assert (reason in page, "deleted successfully" in page) == (True, False)
    assert User.objects.filter(pk__in=[person.pk for person in people]).count() == 2
    assert not LogEntry.objects.exists()
    assert deletions() == []
    page = staff.post(
        page_of(User, "changelist"), delete | {"_selected_action": [cast.alice.pk]}, follow=True
    ).text
    assert "Successfully deleted 1 user" in page
    charlie = cast.charlie.pk
    staff.post(page_of(User, "delete", charlie), {"post": "yes"})
    expected = [(str(people[0].pk), "", cast.dora), (str(charlie), "", cast.dora)]
    assert sorted(deletions()) == sorted(expected)


def test_who_may_only_view_tasks_is_not_shown_what_is_hidden(client: Client, cast: Cast) -> None:
    task = cast.rucodeeval.current.tasks.earliest("pk")
    client.force_login(cast.dora)
    assert b"/hidden/" in client.get(page_of(Task, "change", task.pk)).content
    client = clerk("view_task")
    page = client.get(page_of(Task, "change", task.pk))
    assert (page.status_code, b"/hidden/" in page.content) == (200, False)
    assert client.get(page_of(Task, "hidden", task.pk)).status_code == 403


def files(tasks: bytes | None = None, answers: bytes | None = None) -> dict[str, Any]:
    tasks = tasks if tasks is not None else (SAMPLE / "tasks.jsonl").read_bytes()
    answers = answers if answers is not None else (SAMPLE / "answers.jsonl").read_bytes()
    return {
        "tasks": SimpleUploadedFile("tasks.jsonl", tasks),
        "answers": SimpleUploadedFile("answers.jsonl", answers),
    }


FIELDS = {"family": "rucodeeval", "label": "2026-05", "slug": "", "make_current": "on"}


def test_staff_import_a_revision_and_its_private_answers_are_not_kept_as_a_file(
    staff: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    page = staff.post(IMPORT, FIELDS | files(), follow=True).text
    assert "Imported: ruCodeEval 2026-05, 12 tasks." in page
    assert "the benchmark is not listed" in page
    benchmark = Benchmark.objects.get()
    assert not benchmark.listed and visitor().get(benchmark.get_absolute_url()).status_code == 404
    assert (benchmark.current.label, benchmark.current.tasks.count()) == ("2026-05", 12)
    assert list(tmp_path.iterdir()) == []
    page = staff.post(IMPORT, FIELDS | files(), follow=True).text
    sentence = (
        "Nothing to do: ruCodeEval 2026-05 was already imported from the same files, 12 tasks."
    )
    assert sentence in page


def test_listing_a_benchmark_is_a_step_of_its_own(staff: Client, cast: Cast) -> None:
    benchmark = cast.rucodeeval
    Benchmark.objects.update(listed=False)
    address = reverse("admin:benchmarks_benchmark_list", args=[benchmark.pk])
    assert address in staff.get(benchmark.get_absolute_url()).text
    for client in (clerk("view_benchmark"), visitor(cast.alice)):
        assert client.post(address).status_code in (302, 403)
    assert not Benchmark.objects.get().listed
    page = staff.post(address, follow=True).text
    assert "The benchmark is public." in page
    assert Benchmark.objects.get().listed
    assert visitor().get(benchmark.get_absolute_url()).status_code == 200
    change = reverse("admin:benchmarks_benchmark_change", args=[benchmark.pk])
    Benchmark.objects.update(listed=False)
    later = Revision.objects.create(benchmark=benchmark, label="later", sha256="0" * 64)
    preview = staff.get(f"{benchmark.get_absolute_url()}?revision={later.label}").text
    assert "This revision is not the current one" in preview
    assert change in preview and address not in preview
    Benchmark.objects.update(listed=True)
    assert f'<a href="{change}">To undo this, clear “Listed” on its page.</a>' in page
    form = staff.get(change).context["adminform"].form
    values = {name: form[name].value() for name in form.fields if name not in ("limits", "listed")}
    assert isinstance(values.pop("counts_from"), dict)
    data = {name: value for name, value in values.items() if value not in (None, False)}
    assert "Only staff see this board" in staff.post(change, data, follow=True).text
    assert visitor().get(benchmark.get_absolute_url()).status_code == 404
    staff.post(change, data)
    page = staff.post(change, data | {"listed": "on"}, follow=True).text
    assert "The benchmark is public." in page


def test_a_dataset_in_several_files_is_imported_whole(staff: Client) -> None:
    several = [SimpleUploadedFile("a.jsonl", b"{}"), SimpleUploadedFile("b.jsonl", b"{}")]
    page = staff.post(IMPORT, FIELDS | {"tasks": several}).content.decode()
    # This family reads one file, and gets the folder of both.
    assert "cannot be read: Is a directory" in page
    twice = [SimpleUploadedFile("a.jsonl", b"{}"), SimpleUploadedFile("a.jsonl", b"{}")]
    page = staff.post(IMPORT, FIELDS | {"tasks": twice}).content.decode()
    assert "Two of the files have the same name." in page
    page = staff.post(IMPORT, FIELDS).content.decode()
    assert "This field is required." in page


def test_staff_import_a_wording_with_a_revision(staff: Client) -> None:
    tasks = (FAMILIES / "codeif_function/sample/tasks.jsonl").read_bytes()
    prompts = SimpleUploadedFile("prompts.json", json.dumps(WORDING).encode())
    given = FIELDS | {"family": "codeif_function", "prompts": prompts}
    staff.post(IMPORT, given | {"tasks": SimpleUploadedFile("tasks.jsonl", tasks)})
    revision = Revision.objects.get()
    assert revision.prompts == WORDING
    assert "Kindly write it." in staff.get(page_of(Revision, "change", revision.pk)).text


def test_what_is_wrong_stands_on_the_form_and_what_was_typed_stays(staff: Client) -> None:
    page = staff.post(IMPORT, FIELDS | files(tasks=b'{}\n{"a"\n')).content.decode()
    assert "tasks.jsonl, line 2: not JSON" in page
    assert "tasks.jsonl, line 1: the id is missing" in page
    assert 'value="2026-05"' in page
    assert Benchmark.objects.count() == 0


def test_an_import_takes_the_right_to_it(db: None) -> None:
    client = clerk("view_benchmark", "change_benchmark")
    assert client.get(IMPORT).status_code == 403
    assert client.post(IMPORT, FIELDS | files()).status_code == 403
    assert b"import/" not in client.get(page_of(Benchmark, "changelist")).content


def act(client: Client, model: type, action: str, *rows: Any, **more: str) -> str:
    given = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(page_of(model, "changelist"), given, follow=True).content.decode()


@pytest.fixture
def suspects(cast: Cast) -> list[Verdict]:
    cast.judged_submission(cast.entrant(), integrity="suspect", samples=1)
    return list(Verdict.objects.filter(integrity=Integrity.SUSPECT))


@pytest.mark.parametrize(
    ("action", "integrity"),
    [("clear_suspects", Integrity.CLEARED), ("confirm_suspects", Integrity.CONFIRMED)],
)
def test_a_decision_on_a_suspect_has_its_evaluation_scored_again(
    staff: Client, cast: Cast, suspects: list[Verdict], action: str, integrity: Integrity
) -> None:
    asking = act(staff, Verdict, action, suspects[0])
    assert "stay on record" in asking and not Review.objects.exists()
    page = act(staff, Verdict, action, suspects[0], reason="It reads the tests.")
    assert "1 verdict is settled; its scores are being computed again." in page
    suspects[0].refresh_from_db()
    assert suspects[0].integrity == integrity
    assert suspects[0].evaluation.state in EvaluationState.moving()
    assert Verdict.objects.filter(integrity=Integrity.SUSPECT).count() == len(suspects) - 1
    (decision,) = LogEntry.objects.values_list("change_message", flat=True)
    counted = integrity == Integrity.CLEARED
    assert decision.startswith(f"Reviewed: {'' if counted else 'not '}counted after review: It")
    decided = Review.objects.get()
    team, task = visitor(cast.alice), suspects[0].generation.task
    address = reverse("submission-task", args=[suspects[0].evaluation.submission_id, task.number])
    assert ("It reads the tests." in team.get(address).text) == (not counted)
    assert cast.fenland and "It reads" not in visitor(cast.charlie).get(address).text
    act(staff, Review, "take_back", decided)
    suspects[0].refresh_from_db()
    assert suspects[0].integrity == Integrity.SUSPECT
    assert "This pass is under review" in team.get(address).text


def test_a_decision_on_more_passes_than_a_form_may_have_fields(
    staff: Client, suspects: list[Verdict], settings: Any
) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 6
    assert len(suspects) > 6
    given = {"action": "clear_suspects", "_selected_action": "0", "select_across": "1"}
    address = f"{page_of(Verdict, 'changelist')}?integrity=suspect"
    page = staff.post(address, given).text.partition("settled")[0]
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    later = suspects.pop()
    Verdict.objects.filter(pk=later.pk).update(integrity=Integrity.CLEAN)
    staff.post(address, fields | {"reason": "They are right."})
    assert Review.objects.count() == len(suspects)


def test_what_was_never_suspect_is_not_decided_on(staff: Client, suspects: list[Verdict]) -> None:
    clean = Verdict.objects.filter(integrity=Integrity.CLEAN).first()
    assert clean is not None
    assert "None of them was suspect." in act(staff, Verdict, "confirm_suspects", clean)
    clean.refresh_from_db()
    assert clean.integrity == Integrity.CLEAN
    assert clean.evaluation.state == EvaluationState.DONE


def test_evidence_and_decisions_are_for_who_may_change_verdicts(
    client: Client, cast: Cast, suspects: list[Verdict]
) -> None:
    entry = Evidence("control", "hidden_test", "It passed a control.")
    Verdict.objects.update(evidence=evidence_text(entry))
    client.force_login(cast.dora)
    shown = client.get(page_of(Verdict, "change", suspects[0].pk)).content
    assert b"control, hidden_test: It passed a control." in shown
    client = clerk("view_verdict")
    assert b"hidden_test" not in client.get(page_of(Verdict, "change", suspects[0].pk)).content
    act(client, Verdict, "clear_suspects", suspects[0], reason="fine")
    suspects[0].refresh_from_db()
    assert suspects[0].integrity == Integrity.SUSPECT


@pytest.mark.parametrize(("model", "whose"), [(Evaluation, "They"), (Chunk, "Their evaluations")])
def test_lost_chunks_are_run_again(staff: Client, cast: Cast, model: type, whose: str) -> None:
    cast.judged_submission(cast.entrant(), samples=1)
    row = model._default_manager.first()
    page = act(staff, model, "run_lost_chunks_again", row)
    assert f"{whose} have no lost chunks." in page
    Chunk.objects.update(state=ChunkState.LOST)
    page = act(staff, model, "run_lost_chunks_again", row)
    assert "The lost chunks of 1 evaluation are judged again." in page
    assert set(Chunk.objects.values_list("state", flat=True)) == {ChunkState.WAITING}


CODES = {
    *(one.value for one in (*Status, *Integrity)),
    *("base", "single_round", "two_round", "multi_turn", "dynamic"),
    *("python", "java", "repository", "intake", "scoring", "generation"),
    *("overall", "natural_language", "en"),
    *("dry_run", "oracle", "control", "stub_pass", "build"),
    *(slug for slug in FAMILIES_BY_SLUG if slug != "rucodeeval"),
}


def test_lists_and_their_filters_speak_in_words(staff: Client, cast: Cast) -> None:
    filled(cast, 1)
    entrant = Entrant.objects.earliest("pk")
    cast.judged_submission(entrant, benchmark=cast.codeif, setting="multi_turn", samples=1)
    Benchmark.objects.filter(pk=cast.codeif.pk).update(slug="if-bench")
    received(entrant, cast.alice, cast.rucodeeval, b"")
    keep_failure(tasks=[Task.objects.earliest("pk").pk], cause="no such release")
    for integrity in Integrity:
        row = Verdict.objects.filter(integrity="clean").earliest("pk")
        Verdict.objects.filter(pk=row.pk).update(integrity=integrity.value)
    staff.cookies["django_language"] = "ru"
    for model in (*MODELS, Upload, Submission, LedgerEntry, ReferenceVerdict):
        page = staff.get(page_of(model, "changelist")).text
        cells = re.findall(r'<t[dh] class="field-[^"]*">(.*?)</t[dh]>', page)
        filters = re.findall(r'<li[^>]*>\s*<a href="[?][^"]*"[^>]*>(.*?)</a>', page, re.DOTALL)
        words = {re.sub(r"<[^>]*>", "", one).strip() for one in (*cells, *filters)}
        assert cells and not words & CODES, (model, words & CODES)


def test_a_list_of_generations_leaves_their_texts_where_they_are(staff: Client, cast: Cast) -> None:
    filled(cast, 1)
    with CaptureQueriesContext(connection) as queries:
        staff.get(page_of(Generation, "changelist"))
    read = [query["sql"] for query in queries if 'FROM "submissions_generation"' in query["sql"]]
    assert read and not [sql for sql in read if '"submissions_generation"."text"' in sql]


def test_staff_find_no_unfinished_submission_and_none_of_its_generations(
    staff: Client, cast: Cast
) -> None:
    filled(cast, 1)
    models = (Submission, Generation)
    pages = [page_of(model, "change", model.objects.earliest("pk").pk) for model in models]
    assert [staff.get(page).status_code for page in pages] == [200, 200]
    Submission.objects.update(storing=1)
    assert [staff.get(page).status_code for page in pages] == [302, 302]
    for model in models:
        assert f"0 {model._meta.model_name}" in staff.get(page_of(model, "changelist")).text
