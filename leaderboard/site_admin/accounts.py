"""Admin of users, teams, invitations and entrants."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from evaluation.work.leaving import delete_account
from leaderboard.accounts.models import Entrant, Invitation, Membership, Team, User
from leaderboard.site_admin.bases import Admin, Deletable, column

if TYPE_CHECKING:
    _Addresses = admin.TabularInline[EmailAddress, User]
    _Inline = admin.TabularInline[Membership, Team]
    _UserAdmin = UserAdmin[User]
else:
    _Addresses, _Inline, _UserAdmin = admin.TabularInline, admin.TabularInline, UserAdmin

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
# Providers are set by the environment. The others are each person's own matter.
admin.site.unregister([Authenticator, SocialAccount, SocialApp, SocialToken, UserSession])
admin.site.site_header = "Assay"
admin.site.site_title = "Assay"
admin.site.index_title = _("Site contents")


class AddressInline(_Addresses):
    """Here staff confirm an address that cannot be confirmed by mail."""

    model = EmailAddress
    extra = 0


@admin.register(User)
class PersonAdmin(_UserAdmin):
    """Asks for the e-mail at creation, because sign-in and password resets use it."""

    inlines = (AddressInline,)
    add_form = AdminUserCreationForm
    _fields = ("username", "email", "usable_password", "password1", "password2")
    add_fieldsets = ((None, {"classes": ("wide",), "fields": _fields}),)

    def delete_model(self, _request: HttpRequest, user: User) -> None:
        try:
            delete_account(user=user, successors={})
        except ValidationError as error:
            raise PermissionDenied(*error.messages) from error

    def delete_queryset(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            self.delete_model(request, user)


@admin.register(Authenticator)
class SecondFactorAdmin(Deletable):
    """Staff delete the factors of a person who has lost them."""

    fields = ("user", "type", "created_at", "last_used_at")
    list_display = fields
    list_select_related = ("user",)
    search_fields = ("user__username",)


class MembershipInline(_Inline):
    model = Membership
    raw_id_fields = ("user",)
    extra = 0


@admin.register(Team)
class TeamAdmin(Admin):
    list_display = ("name", "slug", column("members_there", _("members")), "created")
    search_fields = ("name", "slug")
    inlines = (MembershipInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        rows: QuerySet[Team] = super().get_queryset(request)
        return rows.annotate(members_there=Count("memberships"))


@admin.register(Invitation)
class InvitationAdmin(Deletable):
    list_display = ("typed", "team", "role", "created")
    list_select_related = ("team",)
    search_fields = ("typed", "team__name", "team__slug")


@admin.register(Entrant)
class EntrantAdmin(Admin):
    list_display = ("name", "team", "organisation", "parameters", "weights", "created")
    list_select_related = ("team",)
    list_filter = ("weights",)
    formfield_overrides: ClassVar = {models.URLField: {"assume_scheme": "https"}}
    search_fields = ("name", "slug", "organisation", "team__name")
    raw_id_fields = ("team",)
