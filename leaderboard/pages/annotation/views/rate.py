"""A rater's campaigns: the list, a campaign's page, practice, and the way to the next item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.accounts.models import User
from leaderboard.annotation.assigning import has_next, take_next
from leaderboard.annotation.campaigns import checked_marks
from leaderboard.annotation.models import Assignment, CampaignState, Rater, RaterState
from leaderboard.mail.outbox import mail_users
from leaderboard.pages.annotation import queries
from leaderboard.pages.annotation.entry import Entered, FormScale, Mark, scale_marks, scales
from leaderboard.pages.annotation.forms import OfferForm
from leaderboard.pages.annotation.views.access import CHANGE, own_part
from leaderboard.pages.shared.access import confirmed_only, signed_in
from leaderboard.pages.shared.code import coloured
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.panel_words import scale_name
from leaderboard.pages.shared.public import Field, fields_in
from leaderboard.pages.shared.record import render_page

PER_PAGE = 20


@login_required
@require_safe
def rate(request: HttpRequest) -> HttpResponse:
    return _campaigns(request, OfferForm())


@login_required
@require_POST
@confirmed_only
def rate_ask(request: HttpRequest) -> HttpResponse:
    """Sends a person's offer to rate to the staff who may add raters."""
    form, person = OfferForm(request.POST), signed_in(request)
    if not form.is_valid():
        return _campaigns(request, form)
    staff = User.objects.with_perm(CHANGE).filter(is_staff=True)
    url = request.build_absolute_uri(reverse("campaigns"))
    context = {"person": person, "about": form.cleaned_data["about"], "url": url}
    subject = _("%(name)s would like to rate") % {"name": person.username}
    text = render_to_string("annotation/offer_email.txt", context)
    with transaction.atomic():
        count = mail_users(staff, subject, text)
    if not count:
        form.add_error("about", _("No organiser of ratings can be reached by e-mail here."))
        return _campaigns(request, form)
    messages.success(request, _("The organisers have your message and will answer by e-mail."))
    return redirect("rate")


class RaterLine(NamedTuple):
    rater: Rater
    at_work: bool
    goes_on: bool


@dataclass(frozen=True, slots=True)
class RatePage:
    """A person who rates in no open campaign may offer to rate (`may_ask`)."""

    lines: list[RaterLine]
    form: OfferForm
    may_ask: bool


def _campaigns(request: HttpRequest, form: OfferForm) -> HttpResponse:
    """The person's campaigns; open ones, in which the person still rates, come first."""
    lines = []
    parts: list[Any] = sorted(
        queries.parts_of(signed_in(request)), key=lambda part: not is_at_work(part)
    )
    for rater in parts:
        at_work = is_at_work(rater)
        goes_on = at_work and (rater.has_begun or rater.has_left)
        # `has_left` covers neither known items nor items to settle, which cost further queries.
        if at_work and not goes_on and (rater.adjudicates or rater.state == RaterState.TRYING):
            goes_on = has_next(rater)
        lines.append(RaterLine(rater, at_work, goes_on))
    page = RatePage(lines, form, may_ask=not any(line.at_work for line in lines))
    status = 422 if form.errors else 200
    return render_page(request, "annotation/rate.html", page, status=status)


@dataclass(frozen=True, kw_only=True)
class RatingPage:
    """A page of a campaign for one of its raters."""

    rater: Rater

    @property
    def at_work(self) -> bool:
        return is_at_work(self.rater)

    @property
    def crumbs(self) -> list[Crumb]:
        campaign = self.rater.campaign
        address = reverse("rate-campaign", args=[campaign.pk])
        return [Crumb(_("Rate"), reverse("rate")), Crumb(campaign.title, address)]


@dataclass(frozen=True, kw_only=True)
class CampaignRatingPage(RatingPage):
    """`lines` are items with the names and values of the rater's marks."""

    progress: queries.RaterProgress
    has_items: bool
    rubric: list[tuple[str, list[Mark]]]
    page: Page[Assignment]
    lines: list[tuple[Assignment, list[tuple[str, int]]]]


@login_required
@require_safe
def rate_campaign(request: HttpRequest, pk: int) -> HttpResponse:
    rater = own_part(request, pk)
    rows = queries.rated_before(rater).select_related("item__task")
    rows = rows.prefetch_related("ratings", "outcomes")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    lines = []
    for row in page:
        marks = row.outcomes.all() if row.kind == Assignment.Kind.THIRD else row.ratings.all()
        lines.append((row, [(scale_name(mark.criterion), mark.value) for mark in marks]))
    record = CampaignRatingPage(
        rater=rater,
        progress=queries.rater_progress(rater),
        has_items=has_next(rater),
        rubric=[(scale_name(scale.name), scale_marks(scale)) for scale in rater.campaign.criteria],
        page=page,
        lines=lines,
    )
    return render_page(request, "annotation/rate_campaign.html", record)


@dataclass(frozen=True, kw_only=True)
class MarkingPage(RatingPage):
    """The inputs of a task, the code to mark, the scales, and what is wrong with the marks."""

    fields: list[Field]
    code: SafeString
    scales: list[FormScale]
    wrong: Mapping[str, Sequence[str]]


class ComparedMark(NamedTuple):
    """The rater's mark and the expected one."""

    scale: str
    chosen: int
    mark: int
    meaning: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PracticePage(MarkingPage):
    """`number` counts from 1."""

    number: int
    total: int
    next: int | None
    goes_on: bool
    compared: list[ComparedMark]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rate_practice(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Explains the expected marks after the rater's. Stores nothing. `number` counts from 1."""
    rater = own_part(request, pk)
    campaign = rater.campaign
    if not 1 <= number <= len(campaign.practice):
        raise Http404
    practice, is_last = campaign.practice[number - 1], number == len(campaign.practice)
    entered, wrong, compared = Entered(), {}, []
    if request.method == "POST":
        entered = Entered.of(request.POST, campaign.criteria)
        try:
            marks = checked_marks(entered.marks, campaign.criteria)
        except ValidationError as error:
            wrong = error.message_dict
        else:
            for criterion in campaign.criteria:
                explained = practice.marks[criterion.name]
                compared.append(
                    ComparedMark(
                        scale=scale_name(criterion.name),
                        chosen=marks[criterion.name],
                        mark=explained.mark,
                        meaning=scale_marks(criterion)[criterion.top - explained.mark].meaning,
                        reason=_(explained.reason),
                    )
                )
    page = PracticePage(
        rater=rater,
        fields=fields_in(practice.task),
        code=coloured(practice.text, practice.language),
        scales=scales(campaign.criteria, entered, wrong),
        wrong=wrong,
        number=number,
        total=len(campaign.practice),
        next=None if is_last else number + 1,
        goes_on=is_last and is_at_work(rater) and has_next(rater),
        compared=compared,
    )
    status = 422 if wrong else 200
    return render_page(request, "annotation/practice.html", page, status=status)


@login_required
@require_POST
def rate_next(request: HttpRequest, pk: int) -> HttpResponse:
    """A repeated request gets the same item."""
    return go_on(request, own_part(request, pk))


def go_on(request: HttpRequest, rater: Rater) -> HttpResponse:
    assignment = take_next(rater=rater, owner="page")
    if assignment is not None:
        return redirect("rate-item", assignment.pk)
    messages.info(request, _("You have nothing more to rate now. Thank you."))
    return redirect("rate-campaign", rater.campaign_id)


def is_at_work(rater: Rater) -> bool:
    return rater.campaign.state == CampaignState.OPEN and rater.state in RaterState.at_work()
