"""The workspace: a rater views one item, marks it, saves and goes on. No input is lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from leaderboard.annotation.assigning import keep_alive, let_go
from leaderboard.annotation.errors import NotNow, TakenOut
from leaderboard.annotation.models import Assignment, AssignmentState, Draft, Item
from leaderboard.annotation.rating import save_draft, save_ratings, scales_of, skip_item
from leaderboard.pages.annotation import queries
from leaderboard.pages.annotation.entry import Entered, scales
from leaderboard.pages.annotation.views.access import own_assignment
from leaderboard.pages.annotation.views.rate import MarkingPage, go_on
from leaderboard.pages.shared.code import coloured
from leaderboard.pages.shared.public import fields_in
from leaderboard.pages.shared.record import render_page

_View = Callable[..., HttpResponse]
# The session's key of kept forms. Anonymous users may post them, too: each fits three comments of
# maximum length.
_NAME = "rating"
MOST_CHARACTERS = 20_000
MOST_ITEMS = 3
# Seconds that a session with kept forms lives until the sign-in, and how many sessions may end so
# soon: nearly all of these are anonymous.
KEPT_SECONDS, MOST_KEPT = 12 * 3600, 2000


def _while_there(view: _View) -> _View:
    """Answers with the same 404 page for a missing item and for another rater's item."""

    @wraps(view)
    def guarded(request: HttpRequest, pk: int) -> HttpResponse:
        try:
            return view(request, pk)
        except (Http404, TakenOut, Assignment.DoesNotExist, Item.DoesNotExist):
            return render(request, "annotation/item_gone.html", status=404)

    return guarded


@login_required
@never_cache
@require_safe
@_while_there
def rate_item(request: HttpRequest, pk: int) -> HttpResponse:
    return _workspace_page(request, own_assignment(request, pk))


def _keeping(view: _View) -> _View:
    """POST only. If the session has expired, keeps the form and redirects to the sign-in page."""

    @require_POST
    @_while_there
    @wraps(view)
    def guarded(request: HttpRequest, pk: int) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, pk)
        if _keep_form(request, pk):
            messages.info(request, _("Your entries are kept: you see them after you sign in."))
        else:
            words = _("Your entries are too long to be kept, or too many wait. Enter them again.")
            messages.warning(request, words)
        return redirect_to_login(reverse("rate-item", args=[pk]))

    return guarded


@_keeping
def rate_save(request: HttpRequest, pk: int) -> HttpResponse:
    """A repeated request changes nothing."""
    row = own_assignment(request, pk)
    entered = Entered.of(request.POST, scales_of(row))
    seconds = entered.seconds or 0
    if entered.seconds is None and row.state == AssignmentState.RATING and row.shown is not None:
        # Without the page's script: since the item was shown.
        seconds = int((timezone.now() - row.shown).total_seconds())
    try:
        save_ratings(
            assignment=row, marks=entered.marks, comments=entered.comments, seconds=seconds
        )
    except ValidationError as error:
        return _form_again(request, row, entered, wrong=error.message_dict)
    except NotNow as error:
        return _form_again(request, row, entered, problem=str(error))
    _forget_form(request, pk)
    return go_on(request, row.rater)


@_keeping
def rate_skip(request: HttpRequest, pk: int) -> HttpResponse:
    """Entered marks stay as a draft."""
    row = own_assignment(request, pk)
    entered = Entered.of(request.POST, scales_of(row))
    try:
        skip_item(assignment=row, reason=entered.reason)
    except ValidationError as error:
        return _form_again(request, row, entered, skip_wrong=" ".join(error.messages))
    except NotNow as error:
        return _form_again(request, row, entered, problem=str(error))
    if entered.says_something:
        _save_draft(row, entered)
    _forget_form(request, pk)
    return go_on(request, row.rater)


@require_POST
@_while_there
def rate_draft(request: HttpRequest, pk: int) -> HttpResponse:
    """Saves a draft for the page's script and returns the draft's version.

    Status 401: the session has expired, `kept` says whether the form was kept; 404: the item is
    gone; 409: another tab wrote since."""
    if not request.user.is_authenticated:
        return JsonResponse({"kept": _keep_form(request, pk)}, status=401)
    row = own_assignment(request, pk)
    draft = _save_draft(row, Entered.of(request.POST, scales_of(row)))
    if draft is None:
        return JsonResponse({}, status=409)
    _forget_form(request, pk)
    _stay(row, returns=False)  # The page may have been left since it sent this.
    return JsonResponse({"version": draft.version})


@require_POST
@_while_there
def rate_here(request: HttpRequest, pk: int) -> HttpResponse:
    """Renews the lease for the page's script. `place` in the answer says whether it is held."""
    if not request.user.is_authenticated:
        return JsonResponse({}, status=401)
    return JsonResponse({"place": _stay(own_assignment(request, pk))})


@require_POST
@_while_there
def rate_leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Saves the input and frees the item's place."""
    if not request.user.is_authenticated:
        _keep_form(request, pk)
        return HttpResponse(status=401)
    row = own_assignment(request, pk)
    if "version" in request.POST:
        entered = Entered.of(request.POST, scales_of(row))
        if entered.says_something:
            _save_draft(row, entered, leaving=True)
        _forget_form(request, pk)
    let_go(assignment=row)
    return HttpResponse(status=204)


def _stay(row: Assignment, *, returns: bool = True) -> bool:
    """A rated or skipped item needs no place."""
    return row.state in AssignmentState.over() or keep_alive(assignment=row, returns=returns)


def _save_draft(row: Assignment, entered: Entered, *, leaving: bool = False) -> Draft | None:
    """Returns None if another tab wrote since."""
    return save_draft(
        assignment=row,
        version=entered.version,
        marks=entered.marks,
        comments=entered.comments,
        seconds=entered.seconds or 0,
        leaving=leaving,
    )


def _form_again(
    request: HttpRequest, row: Assignment, entered: Entered, **wrong: Any
) -> HttpResponse:
    """Shows the form again with its errors, and saves it as a draft."""
    if entered.says_something:
        _save_draft(row, entered)
    return _workspace_page(request, row, entered=entered, status=422, **wrong)


@dataclass(frozen=True, kw_only=True)
class WorkspacePage(MarkingPage):
    """`is_restored`: the form's content is from before the person was signed out. `place` is None
    for an item that was rated or skipped before; `back` is the rater's previous item."""

    row: Assignment
    work: queries.RatingTask
    reason: str
    is_restored: bool
    problem: str
    skip_wrong: str
    progress: queries.RaterProgress
    place: int | None
    back: int | None


def _workspace_page(
    request: HttpRequest,
    row: Assignment,
    *,
    entered: Entered | None = None,
    wrong: Mapping[str, Sequence[str]] | None = None,
    problem: str = "",
    skip_wrong: str = "",
    status: int = 200,
) -> HttpResponse:
    work = queries.RatingTask(row)
    form = None if entered else _kept_forms(request).get(str(row.pk))
    if form is not None:
        entered = Entered.of(form, work.scales)
        request.session.set_expiry(None)  # it is the rater's own now
    shown = entered or Entered(work.marks, work.comments)
    progress = queries.rater_progress(row.rater, Assignment.Kind(row.kind))
    before = queries.rated_before(row.rater).exclude(pk=row.pk)
    if row.state in AssignmentState.over() and row.shown is not None:
        before = before.filter(shown__lt=row.shown)
    page = WorkspacePage(
        rater=row.rater,
        fields=fields_in(work.task),
        code=coloured(work.text, work.language),
        scales=scales(work.scales, shown, wrong, work.earlier),
        wrong=wrong or {},
        row=row,
        work=work,
        reason=shown.reason or row.reason,
        is_restored=form is not None,
        problem=problem,
        skip_wrong=skip_wrong,
        progress=progress,
        place=progress.done + 1 if row.state == AssignmentState.RATING else None,
        back=before.values_list("pk", flat=True).first(),
    )
    return render_page(request, "annotation/item.html", page, status=status)


def _keep_form(request: HttpRequest, assignment: int) -> bool:
    """Keeps a form that was posted after its session expired, until the user signs in again: the
    browser's new anonymous session stores it, and sign-in takes that over. Replaces an earlier
    form for the item. Returns False if the form is too long, or if MOST_KEPT sessions wait."""
    form = {
        name: value
        for name, value in request.POST.items()
        if isinstance(value, str) and name not in ("csrfmiddlewaretoken", "version")
    }
    if sum(len(name) + len(value) for name, value in form.items()) > MOST_CHARACTERS:
        return False
    now = timezone.now()
    soon = now, now + timedelta(seconds=KEPT_SECONDS)
    if Session.objects.filter(expire_date__range=soon).count() >= MOST_KEPT:
        return False
    request.session.set_expiry(KEPT_SECONDS)
    others = _kept_forms(request)
    others.pop(str(assignment), None)
    latest = dict(list(others.items())[1 - MOST_ITEMS :])
    latest[str(assignment)] = form
    request.session[_NAME] = latest
    return True


def _forget_form(request: HttpRequest, assignment: int) -> None:
    """Call this once the form is saved, at least as a draft."""
    left = _kept_forms(request)
    if left.pop(str(assignment), None) is not None:
        request.session[_NAME] = left


def _kept_forms(request: HttpRequest) -> dict[str, Any]:
    forms = request.session.get(_NAME)
    return dict(forms) if isinstance(forms, dict) else {}
