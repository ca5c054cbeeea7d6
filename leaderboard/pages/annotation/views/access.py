"""Access checks of the rating pages, which fetch too, and the frame of the organisers' pages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Page, Paginator
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.accounts.audit import record_access
from leaderboard.accounts.models import staff_may
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Assignment, Campaign, Rater, RaterState
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.record import context_of

CHANGE = "annotation.change_campaign"
_View = Callable[..., HttpResponseBase]


def posted(request: HttpRequest) -> QueryDict | None:
    """The data to bind a form to: an empty POST also binds it."""
    return request.POST if request.method == "POST" else None


@contextmanager
def refusals_on(form: BaseForm, *, or_invalid: bool = False) -> Iterator[None]:
    """`or_invalid`: the step checks values, too, and its ValidationError is for the user."""
    try:
        yield
    except NotNow as error:
        form.add_error(None, str(error))
    except ValidationError as error:
        if not or_invalid:
            raise
        form.add_error(None, error.messages)


def own_part(request: HttpRequest, pk: int) -> Rater:
    """The person's rater in a campaign. Raises Http404 for other people."""
    rows = Rater.objects.select_related("campaign__revision__benchmark")
    return get_object_or_404(rows, campaign=pk, user=signed_in(request))


def own_assignment(request: HttpRequest, pk: int) -> Assignment:
    """Raises Http404 for other people's."""
    rows = Assignment.objects.select_related("rater__campaign", "item__campaign")
    return get_object_or_404(rows, pk=pk, rater__user=signed_in(request))


def for_organisers(view: _View) -> _View:
    """Admits staff who may view campaigns. Others get a 404 or the sign-in page."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not staff_may(request.user, "annotation.view_campaign"):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def organised(pk: int) -> Campaign:
    return get_object_or_404(Campaign.objects.select_related("revision__benchmark"), pk=pk)


def changeable(request: HttpRequest, pk: int) -> Campaign:
    """Raises PermissionDenied."""
    if not signed_in(request).has_perm(CHANGE):
        raise PermissionDenied(_("Your account can view campaigns but not change them."))
    return organised(pk)


def rates_in(request: HttpRequest, campaign: Campaign) -> bool:
    """True if the organiser is an active rater of the campaign and must not see others' marks."""
    parts = Rater.objects.filter(campaign=campaign, user=signed_in(request))
    return parts.exclude(state=RaterState.DISMISSED).exists()


def unblinded(request: HttpRequest, pk: int) -> Campaign:
    """Raises PermissionDenied if the organiser rates in the campaign."""
    campaign = organised(pk)
    if rates_in(request, campaign):
        raise PermissionDenied(
            _("You are a rater in this campaign, so other raters' marks are hidden from you.")
        )
    record_access(request, campaign)
    return campaign


@dataclass(frozen=True, kw_only=True)
class OrganisersPage:
    """What the template of a page below the list of campaigns reads."""

    form: BaseForm | None = None

    @property
    def crumbs(self) -> list[Crumb]:
        return [Crumb(_("Rating campaigns"), reverse("campaigns"))]


@dataclass(frozen=True, kw_only=True)
class CampaignPage(OrganisersPage):
    """The values that a template of a campaign's subpages reads. `page` is one page of a list."""

    campaign: Campaign
    page: Page[Any] | None = None

    @property
    def crumbs(self) -> list[Crumb]:
        address = reverse("campaign", args=[self.campaign.pk])
        return [*super().crumbs, Crumb(self.campaign.title, address)]


def campaign_page(request: HttpRequest, template: str, page: OrganisersPage) -> HttpResponse:
    """The status is 422 if the form has errors."""
    status = 422 if page.form is not None and page.form.errors else 200
    return render(request, f"annotation/{template}.html", context_of(page), status=status)


def part_of(request: HttpRequest, rows: Any, per_page: int = 30) -> Page[Any]:
    return Paginator(rows, per_page).get_page(request.GET.get("page"))
