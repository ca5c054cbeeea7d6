"""What the bearer of a token sees of the team, and creates for it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from ninja import Query, Router, Schema
from ninja.responses import Status

from leaderboard.accounts.models import Entrant, Scope
from leaderboard.accounts.teams import create_entrant
from leaderboard.api.access import Needs, require_scope, token_in
from leaderboard.api.problems import REFUSALS, Fault, Refused
from leaderboard.api.reading import TextPage, entrant_fields, page_of
from leaderboard.api.records import (
    EntrantRecord,
    NewEntrant,
    OwnSubmissionRecord,
    Page,
    TokenRecord,
)
from leaderboard.api.submissions import own_fields, own_submission, own_submissions
from leaderboard.text import storable

router = Router(tags=["team"])


class TokenQuery(Schema):
    scope: Scope | None = None


@router.get("/token", auth=Needs(""), response={200: TokenRecord, **REFUSALS})
def token(request: HttpRequest, query: Query[TokenQuery]) -> dict[str, Any]:
    """The token itself. With `scope`, one without it is refused: the proxy asks before it stores a
    file."""
    require_scope(request, query.scope or "")
    row = token_in(request)
    return {
        "name": row.name,
        "user": row.user.username,
        "team": row.membership.team.slug,
        "scopes": row.scope_names,
        "expires": row.expires,
    }


@router.get(
    "/team/entrants", auth=Needs(Scope.READ), response={200: Page[EntrantRecord], **REFUSALS}
)
def team_entrants(request: HttpRequest, query: Query[TextPage]) -> dict[str, Any]:
    """By slug, those without a published result too."""
    rows = Entrant.objects.editable_by(request.user).filter(slug__gt=storable(query.cursor))
    shown = rows.order_by("slug")[: query.limit + 1]
    return page_of(request, map(entrant_fields, shown), query.limit, "slug")


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
    return page_of(request, map(own_fields, rows[: query.limit + 1]), query.limit, "submission")


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
    return Status(201, EntrantRecord(**entrant_fields(entrant)))
