"""The team of a token: its entrants and submissions. A program creates entrants, and follows,
cancels, publishes and withdraws submissions."""

from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Schema
from ninja.responses import Status

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.progress import progress
from evaluation.state.rights import cancellable
from evaluation.work.actions import cancel_evaluation, publish_submission, withdraw_submission
from leaderboard.accounts.models import Entrant, Scope, Token
from leaderboard.accounts.teams import create_entrant
from leaderboard.api.access import Needs, require_scope, token_in, user_in
from leaderboard.api.problems import REFUSALS, Fault, Refused
from leaderboard.api.reading import TextPage, first_of, page_of
from leaderboard.api.records import (
    EntrantRecord,
    NewEntrant,
    OwnSubmissionRecord,
    Page,
    ProgressRecord,
    TokenRecord,
)
from leaderboard.boards.scores import read_on
from leaderboard.messages import in_readers_language
from leaderboard.submissions.models import Submission, SubmissionQuerySet, Visibility
from leaderboard.submissions.publishing import NotPublishable, hold_words
from leaderboard.text import storable

router, submissions = Router(tags=["team"]), Router(tags=["submissions"])
_ANSWERS = {200: ProgressRecord, **REFUSALS}


class TokenQuery(Schema):
    scope: Scope | None = None


@router.get("/token", auth=Needs(""), response={200: TokenRecord, **REFUSALS})
def token(request: HttpRequest, query: Query[TokenQuery]) -> Token:
    """The token itself. With `scope`, one without it is refused: the proxy asks before it stores a
    file."""
    require_scope(request, query.scope or "")
    return token_in(request)


@router.get(
    "/team/entrants", auth=Needs(Scope.READ), response={200: Page[EntrantRecord], **REFUSALS}
)
def team_entrants(request: HttpRequest, query: Query[TextPage]) -> dict[str, Any]:
    """By slug, those without a published result too."""
    rows = Entrant.objects.editable_by(request.user).filter(slug__gt=storable(query.cursor))
    return page_of(request, rows.order_by("slug"), query.limit, "slug")


@router.get(
    "/team/submissions",
    auth=Needs(Scope.READ),
    response={200: Page[OwnSubmissionRecord], **REFUSALS},
)
def team_submissions(request: HttpRequest, query: Query[TextPage]) -> dict[str, Any]:
    """Newest first; `cursor` is the submission before the first one."""
    rows = own_submissions(request).order_by("-pk")
    if query.cursor:
        rows = rows.filter(pk__lt=own_submission(request, query.cursor).pk)
    return page_of(request, rows, query.limit, "public_id")


@router.post("/team/entrants", auth=Needs(Scope.SUBMIT), response={201: EntrantRecord, **REFUSALS})
def entrant_new(request: HttpRequest, new: NewEntrant) -> Status[EntrantRecord]:
    """Creates an entrant of the token's team."""
    fields = new.model_dump()
    fields["parameters"] = fields.pop("size_in_billions")
    fields["cutoff"] = fields.pop("training_data_until")
    entrant = Entrant(team=token_in(request).membership.team, **fields)
    try:
        with transaction.atomic():
            create_entrant(entrant=entrant)
    except ValidationError as error:
        faults = [f"{n}: {s}" for n, texts in error.message_dict.items() for s in texts]
        errors = [Fault(detail=fault.removeprefix("__all__: ")) for fault in faults]
        raise Refused(422, "Some values are not valid.", errors) from error
    except IntegrityError as error:
        raise Refused(409, "Another request has just taken this name.") from error
    return Status(201, EntrantRecord.model_validate(entrant))


def own_submissions(request: HttpRequest) -> SubmissionQuerySet:
    """With the attributes that OwnSubmissionRecord reads."""
    evaluations = Evaluation.objects.filter(submission=OuterRef("pk"))
    state = Subquery(evaluations.filter(current=True).values("state")[:1])
    rows = Submission.objects.editable_by(request.user)
    return rows.select_related("entrant__team", "revision__benchmark").annotate(
        state=Coalesce(state, Value("")),
        over=~Exists(evaluations.filter(state__in=EvaluationState.moving())),
    )


def own_submission(request: HttpRequest, public_id: str) -> Any:
    rows = own_submissions(request).filter(public_id=storable(public_id))
    return first_of(rows, "Your team has no submission of this id.")


def _record(request: HttpRequest, public_id: str) -> ProgressRecord:
    row = own_submission(request, public_id)
    evaluation = row.evaluations.filter(current=True).first()
    metric = row.revision.benchmark.metric_in(row.setting)
    values: dict[str, Any] = {
        "total": row.generations_count, "judged": 0, "counts": {}, "expected_end": None,
        "remarks": [], "score": None, "low": None, "high": None,
    }  # fmt: skip
    if evaluation is not None:
        state, now = progress(evaluation), timezone.now()
        values |= {"judged": state.judged, "counts": state.counts, "remarks": [*state.remarks]}
        if state.left is not None:
            earliest, latest = (now + timedelta(seconds=part) for part in state.left)
            values["expected_end"] = {"earliest": earliest, "latest": latest}
        scores = evaluation.scores.filter(metric=metric, slice="overall", of_references=False)
        if evaluation.state == EvaluationState.DONE and (score := scores.first()):
            ends = {"score": score.value, "low": score.low, "high": score.high}
            values |= {name: read_on(share, score.top) for name, share in ends.items()}
        if evaluation.cause:
            values["remarks"].append(in_readers_language(evaluation.cause))
    private = row.visibility == Visibility.PRIVATE
    hold = hold_words(row) if private else ""
    own = dict(OwnSubmissionRecord.model_validate(row))
    return ProgressRecord(**own, **values, metric=metric, hold=hold)


@submissions.get("/submissions/{public_id}/progress", auth=Needs(Scope.READ), response=_ANSWERS)
def submission_progress(request: HttpRequest, public_id: str) -> ProgressRecord:
    return _record(request, public_id)


@submissions.post("/submissions/{public_id}/cancel", auth=Needs(Scope.SUBMIT), response=_ANSWERS)
def submission_cancel(request: HttpRequest, public_id: str) -> Status[ProgressRecord]:
    """Stops the judging of a private submission. The verdicts so far are kept."""
    moving = cancellable(user_in(request), own_submission(request, public_id))
    if moving is None or not cancel_evaluation(evaluation=moving):
        raise Refused(409, "There is nothing to cancel.")
    return Status(200, _record(request, public_id))


@submissions.post("/submissions/{public_id}/publish", auth=Needs(Scope.PUBLISH), response=_ANSWERS)
def submission_publish(request: HttpRequest, public_id: str) -> Status[ProgressRecord]:
    """Puts the result on its board; the generations stay private. Repeating it has no further
    effect."""
    try:
        publish_submission(submission=own_submission(request, public_id))
    except NotPublishable as error:
        raise Refused(409, str(error)) from error
    return Status(200, _record(request, public_id))


@submissions.post("/submissions/{public_id}/withdraw", auth=Needs(Scope.PUBLISH), response=_ANSWERS)
def submission_withdraw(request: HttpRequest, public_id: str) -> Status[ProgressRecord]:
    """Makes the result private again. Repeating it has no further effect."""
    withdraw_submission(submission=own_submission(request, public_id))
    return Status(200, _record(request, public_id))
