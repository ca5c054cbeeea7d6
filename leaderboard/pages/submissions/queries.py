"""Queries for the pages of teams: uploads, submissions, and open benchmarks."""

from django.db.models import QuerySet

from evaluation.models import Evaluation, EvaluationState
from leaderboard.accounts.models import Entrant, Person, teams_of
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import (
    Declaration,
    DeclarationQuerySet,
    Submission,
    Upload,
    UploadState,
)


def own_entrants(user: Person) -> QuerySet[Entrant]:
    return Entrant.objects.editable_by(user).select_related("team").order_by("team__name", "name")


def team_submissions(user: Person) -> QuerySet[Submission]:
    return (
        Submission.objects.filter(entrant__in=Entrant.objects.editable_by(user))
        .select_related("entrant__team", "revision__benchmark")
        .order_by("-created", "-pk")
    )


def team_declarations(user: Person) -> DeclarationQuerySet:
    """Declarations of the user's own teams, also for staff: the admin shows those of all teams."""
    return (
        Declaration.objects.filter(team__in=teams_of(user))
        .select_related("team", "entrant", "revision__benchmark", "upload")
        .defer("upload__report", "upload__left_out")
    )


def may_declare(user: Person) -> bool:
    """Whether the page of declared runs has any content for the user."""
    needed = Benchmark.objects.visible_to(user).filter(accepts=True, declared=True)
    return needed.exists() or team_declarations(user).exists()


def unfinished_uploads(user: Person) -> QuerySet[Upload]:
    """The uploads of the user's teams that are neither stored nor discarded."""
    return (
        Upload.objects.filter(entrant__in=Entrant.objects.editable_by(user))
        .exclude(state__in=(UploadState.STORED, UploadState.DISCARDED))
        .filter(only_check=False)
        .select_related("entrant", "revision__benchmark")
        .defer("report", "left_out")
        .order_by("-created", "-pk")
    )


def previous_result(submission: Submission) -> Evaluation | None:
    """Of the entrant's latest earlier submission to the same board."""
    rows = Evaluation.objects.filter(
        current=True,
        state=EvaluationState.DONE,
        submission__revision=submission.revision_id,
        submission__setting=submission.setting,
        submission__entrant=submission.entrant_id,
        submission__lt=submission.pk,
    )
    return rows.select_related("submission__entrant").order_by("-submission_id").first()
