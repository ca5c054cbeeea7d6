"""The person's own page, and teams: creation, page, name, members, invitations and entrants."""

import time
from dataclasses import dataclass

from allauth.account import app_settings
from allauth.account.authentication import get_authentication_records
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from evaluation.work.actions import order_boards
from evaluation.work.leaving import delete_account
from leaderboard.accounts import teams
from leaderboard.accounts.models import Entrant, Invitation, Membership, Team, User, teams_of
from leaderboard.pages.accounts.export import export
from leaderboard.pages.accounts.forms import DeletionForm, EntrantForm, InvitationForm, TeamForm
from leaderboard.pages.shared.access import confirmed_only, signed_in, wanted_page
from leaderboard.pages.shared.record import render_page
from leaderboard.scores.models import Board, Standing


def own_team(request: HttpRequest, slug: str) -> Team:
    """A team of which the person is a member. Staff change other teams in the admin."""
    return get_object_or_404(Team, slug=slug, memberships__user=signed_in(request))


def owned_team(request: HttpRequest, slug: str) -> Team:
    """A team that the person owns. Raises PermissionDenied for its other members."""
    team = own_team(request, slug)
    if not teams.is_owner(signed_in(request), team):
        raise PermissionDenied(_("Only owners of the team may do this."))
    return team


@dataclass(frozen=True, slots=True)
class AccountPage:
    memberships: QuerySet[Membership]
    invitations: QuerySet[Invitation]


@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Shows the person's teams with their entrants. A POST saves which mail the person wants."""
    entrants = Prefetch("team__entrants", Entrant.objects.order_by("name"))
    user = signed_in(request)
    if request.method == "POST":
        wants_mail = "mail_when_judged" in request.POST
        User.objects.filter(pk=user.pk).update(mail_when_judged=wants_mail)
        messages.success(request, _("Your choice is saved."))
        return redirect("account")
    memberships = Membership.objects.filter(user=user).select_related("team")
    page = AccountPage(
        memberships.prefetch_related(entrants).order_by("team__name"),
        Invitation.objects.addressed_to(user).select_related("team"),
    )
    return render_page(request, "accounts/account.html", page)


@login_required
@require_safe
def account_export(request: HttpRequest) -> StreamingHttpResponse:
    disposition = {"Content-Disposition": 'attachment; filename="account.json"'}
    rows = export(signed_in(request))
    return StreamingHttpResponse(rows, content_type="application/json", headers=disposition)


@sensitive_post_parameters("password")
@login_required
def account_delete(request: HttpRequest) -> HttpResponse:
    """Says what goes and what stays. A POST deletes the account and ends its sessions."""
    user = signed_in(request)
    since = time.time() - app_settings.REAUTHENTICATION_TIMEOUT
    recent = any(record["at"] > since for record in get_authentication_records(request, user))
    form = DeletionForm(request.POST or None, user=user, recent=recent)
    if request.method == "POST" and form.is_valid():
        try:
            delete_account(user=user, successors=form.successors())
        except ValidationError as error:
            form.add_error(None, error)
        else:
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("home")
    status = 422 if request.method == "POST" else 200
    return render(request, "accounts/account_delete.html", {"form": form}, status=status)


@login_required
def team_new(request: HttpRequest) -> HttpResponse:
    """Redirects to the team, or with `next` to the form for its first entrant."""
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        team = teams.create_team(name=form.cleaned_data["name"], owner=signed_in(request))
        if wanted := wanted_page(request):
            return redirect(reverse("entrant-new", args=[team.slug], query={"next": wanted}))
        return redirect(team)
    return render(request, "accounts/team_new.html", {"form": form})


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamPage:
    """`membership` is the reader's own, None for staff."""

    team: Team
    membership: Membership | None
    memberships: list[Membership]
    entrants: list[Entrant]
    rename: TeamForm
    add: InvitationForm

    @property
    def decided(self) -> list[Team | Entrant]:
        """The team, and its entrants, if staff have decided about their names."""
        rows: list[Team | Entrant] = [self.team, *self.entrants]
        return [row for row in rows if row.name_reason]


@login_required
def team(request: HttpRequest, slug: str) -> HttpResponse:
    # Staff may see all. Other users must not learn who is in a team.
    visible = teams_of(request.user, "accounts.view_membership")
    return _team_page(request, get_object_or_404(visible, slug=slug))


def _team_page(
    request: HttpRequest,
    team: Team,
    *,
    rename: TeamForm | None = None,
    add: InvitationForm | None = None,
) -> HttpResponse:
    """A form with errors, if any, takes the place of the blank one."""
    memberships = list(team.memberships.select_related("user").order_by("-role", "user__username"))
    by_user = {membership.user_id: membership for membership in memberships}
    page = TeamPage(
        team=team,
        membership=by_user.get(signed_in(request).pk),
        memberships=memberships,
        entrants=list(team.entrants.order_by("name")),
        rename=rename or TeamForm(instance=team, auto_id="rename_%s"),
        add=add or InvitationForm(auto_id="add_%s"),
    )
    status = 422 if rename or add else 200
    return render_page(request, "accounts/team.html", page, status=status)


@login_required
@require_POST
def team_rename(request: HttpRequest, slug: str) -> HttpResponse:
    """Changes the name. The slug stays, so that links keep working."""
    team = owned_team(request, slug)
    form = TeamForm(request.POST, instance=team, auto_id="rename_%s")
    if form.is_valid():
        form.save()
        messages.success(request, _("The team is now called %(name)s.") % {"name": team.name})
        return redirect(team)
    team.refresh_from_db()
    return _team_page(request, team, rename=form)


@login_required
@require_POST
@confirmed_only
def member_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Sends an invitation. The answer does not depend on whether there is such an account."""
    team = owned_team(request, slug)
    form = InvitationForm(request.POST, auto_id="add_%s")
    if not form.is_valid():
        return _team_page(request, team, add=form)
    with transaction.atomic():
        typed, role = form.cleaned_data["person"], form.cleaned_data["role"]
        invitation, addresses = teams.invite(team=team, typed=typed, role=role)
        url = request.build_absolute_uri(reverse("account"))
        context = {"invitation": invitation, "domain": request.get_host(), "url": url}
        subject = _("Invitation to a team on %(domain)s") % context
        text = render_to_string("accounts/invitation_email.txt", context)
        send_mail(subject, text, None, addresses)
    messages.success(request, _("%(name)s is invited.") % {"name": invitation.typed})
    return redirect(team)


@login_required
@require_POST
def invitation_answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Any `answer` but "accept" deletes it: who is invited declines it, an owner takes it back."""
    user = signed_in(request)
    invitation = get_object_or_404(Invitation.objects.select_related("team"), pk=pk)
    team, owns = invitation.team, teams.is_owner(user, invitation.team)
    accepts = request.POST.get("answer") == "accept"
    addressed = Invitation.objects.addressed_to(user).filter(pk=pk).exists()
    if not addressed and (accepts or not owns):
        raise Http404
    if not accepts:
        rows = team.invitations.filter(pk=pk)
        (team.invitations.for_person(user) if addressed else rows).delete()
        messages.success(request, _("The invitation is deleted."))
        return redirect(team if owns else "account")
    if not user.confirmed:
        messages.error(request, _("Confirm your e-mail address, then accept the invitation."))
    elif teams.accept(invitation=invitation, user=user):
        messages.success(request, _("You are now in %(team)s.") % {"team": team})
        return redirect(team)
    return redirect("account")


@login_required
@require_POST
def member_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    team = owned_team(request, slug)
    membership = get_object_or_404(team.memberships.select_related("user"), pk=pk)
    is_owner = request.POST.get("role") == Membership.Role.OWNER
    role = Membership.Role.OWNER if is_owner else Membership.Role.MEMBER
    try:
        teams.set_role(membership=membership, role=role)
    except teams.LastOwner as error:
        messages.error(request, error.message)
    return redirect(team)


@login_required
@require_POST
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Owners may remove any member, members only themselves."""
    team = own_team(request, slug)
    membership = get_object_or_404(team.memberships.select_related("user"), pk=pk)
    user = signed_in(request)
    leaves = membership.user_id == user.pk
    if not leaves and not teams.is_owner(user, team):
        raise PermissionDenied(_("Only owners of the team may do this."))
    try:
        teams.remove_member(membership=membership)
    except teams.LastOwner as error:
        messages.error(request, error.message)
        return redirect(team)
    sentence = _("You have left %(team)s.") if leaves else _("%(name)s is no longer in the team.")
    messages.success(request, sentence % {"name": membership.user.username, "team": team.name})
    return redirect("account") if leaves else redirect(team)


@login_required
def entrant_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Any member may add an entrant."""
    return _entrant_form(request, Entrant(team=own_team(request, slug)))


@login_required
def entrant_edit(request: HttpRequest, slug: str) -> HttpResponse:
    rows = Entrant.objects.editable_by(signed_in(request)).select_related("team")
    return _entrant_form(request, get_object_or_404(rows, slug=slug))


def _entrant_form(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    form = EntrantForm(request.POST or None, instance=entrant)
    if request.method == "POST" and form.is_valid():
        entrant.slug = entrant.slug or teams.free_slug(Entrant, entrant.name)
        form.save()
        if "cutoff" in form.changed_data:
            standings = Standing.objects.filter(submission__entrant=entrant)
            order_boards(boards=Board.objects.filter(pk__in=standings.values("board")))
        messages.success(request, _("%(name)s is saved.") % {"name": entrant.name})
        return redirect(wanted_page(request) or entrant.team)
    return render(request, "accounts/entrant_form.html", {"form": form})
