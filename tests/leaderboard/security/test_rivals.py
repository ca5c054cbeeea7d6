"""Tests of others' objects addressed by their numbers, and of forms filled in with what they do not
offer."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluation.models import Evaluation, EvaluationState
from evaluation.work.actions import judge_again
from leaderboard.accounts.models import Entrant, Membership
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import Submission, Upload, UploadState, Visibility
from tests.leaderboard.addresses.marked import MEMBER, OTHER, OWNER, STRANGER, Site, predictions
from tests.leaderboard.addresses.visiting import visitor

pytestmark = pytest.mark.any_database


def sent(site: Site, role: str, **changed: Any) -> int:
    """The status of the submit form's answer to values that may not be the team's own."""
    data = {
        "board": f"{site.benchmark.slug}/base",
        "entrant": site.larch.slug,
        "file": SimpleUploadedFile("base.jsonl", predictions(site.benchmark)),
    }
    return visitor(site, role).post(reverse("submit"), data | changed).status_code


def test_a_file_is_sent_for_ones_own_entrants_alone(site: Site) -> None:
    before = Upload.objects.count()
    assert sent(site, OTHER) == 422
    assert sent(site, MEMBER, entrant="birch") == 422
    assert sent(site, MEMBER, entrant=str(site.larch.pk)) == 422
    assert Upload.objects.count() == before
    assert sent(site, MEMBER) == 302


def test_only_boards_that_are_offered_take_files(site: Site) -> None:
    boards = (
        "codeif-function/base",  # not listed
        "rucodeeval/two_round",  # another family's setting
        *("rucodeeval/", "rucodeeval", "/base", "../base", "none/base", ""),
    )
    before = Upload.objects.count()
    assert [sent(site, MEMBER, board=board) for board in boards] == [422] * len(boards)
    Benchmark.objects.update(accepts=False)
    assert (sent(site, MEMBER), Upload.objects.count()) == (422, before)


def test_a_form_sets_nothing_that_it_does_not_ask(site: Site) -> None:
    extra = {"state": "confirmed", "revision": 999, "user": site.cast.charlie.pk, "visibility": "x"}
    sent(site, MEMBER, **extra)
    upload = Upload.objects.order_by("-pk")[0]
    assert (upload.state, upload.revision, upload.user) == (
        UploadState.RECEIVED,
        site.benchmark.current,
        site.cast.bob,
    )


def test_an_entrant_stays_with_its_team(site: Site) -> None:
    url = reverse("entrant-edit", args=[site.larch.slug])
    data = {"name": "Larch", "team": site.cast.fenland.pk, "slug": "stolen", "id": 1}
    assert visitor(site, MEMBER).post(url, data).status_code == 302
    kept = Entrant.objects.get(pk=site.larch.pk)
    assert (kept.team, kept.slug) == (site.cast.northwood, "larch")


def test_a_new_account_is_no_staff(site: Site) -> None:
    data = {
        "username": "mallory",
        "email": "m@example.org",
        "team": "",
        "is_staff": "on",
        "password1": "a long password 7",
        "password2": "a long password 7",
        "is_superuser": "1",
        "groups": "1",
    }
    client = visitor(site, STRANGER)
    assert client.post(reverse("sign-up"), data).status_code == 302
    assert (client.get("/admin/").status_code, client.get("/account/").status_code) == (302, 200)


def test_a_membership_of_another_team_is_not_reached_by_ones_own(site: Site) -> None:
    """Charlie owns Fenland, and asks for Northwood's membership by its number under Fenland's
    address."""
    client = visitor(site, OTHER)
    fenland, bob = site.cast.fenland.slug, site.membership.pk
    for name in ("member-role", "member-remove"):
        answer = client.post(reverse(name, args=[fenland, bob]), {"role": "owner"})
        assert answer.status_code == 404
    assert Membership.objects.get(pk=bob).role == Membership.Role.MEMBER


def test_a_guessed_entrant_is_as_unknown_as_none(site: Site) -> None:
    for client in (visitor(site, STRANGER), visitor(site, OTHER)):
        nothing = client.get("/entrants/never-there/").text.count("\n")
        for slug in ("alder", "veiled-private-entrant", "none"):
            answer = client.get(f"/entrants/{slug}/")
            assert (answer.status_code, answer.text.count("\n")) == (404, nothing), slug


def test_a_revision_to_come_is_for_staff_alone(site: Site) -> None:
    revision = site.benchmark.revisions.create(label="to-come", sha256="0" * 64)
    assert revision.pk != site.benchmark.current_id
    for name in ("benchmark", "board-csv", "board-json", "tasks"):
        url = f"{reverse(name, args=[site.benchmark.slug])}?revision=to-come"
        answers = [visitor(site, role).get(url).status_code for role in (STRANGER, OWNER)]
        assert answers == [404, 404], name


def test_no_team_publishes_what_is_not_judged(site: Site) -> None:
    client = visitor(site, MEMBER)
    client.post(reverse("submission-publish", args=[site.judging.pk]))
    client.post(reverse("submission-cancel", args=[site.judging.pk]))
    client.post(reverse("submission-publish", args=[site.judging.pk]))
    assert Submission.objects.get(pk=site.judging.pk).visibility == Visibility.PRIVATE


def test_no_team_stops_what_staff_have_judged_again(site: Site) -> None:
    """Otherwise a team could keep its result from being audited."""
    audit = judge_again(submission=site.published)
    visitor(site, OWNER).post(reverse("submission-cancel", args=[site.published.pk]))
    assert Evaluation.objects.get(pk=audit.pk).state == EvaluationState.JUDGING


def test_no_team_stops_what_is_scored_again_after_a_review(site: Site) -> None:
    evaluation = site.published.evaluations.get(current=True)
    Evaluation.objects.filter(pk=evaluation.pk).update(state=EvaluationState.JUDGING)
    visitor(site, OWNER).post(reverse("submission-cancel", args=[site.published.pk]))
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.JUDGING
