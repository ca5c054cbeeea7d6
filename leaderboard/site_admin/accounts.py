"""Admin of users, teams, invitations and entrants, and of mail that waits or was given up, without
its content: that has secret links."""

from typing import Any, ClassVar

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models, transaction
from django.db.models import Count, F, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from evaluation.work.leaving import delete_account
from leaderboard.accounts.audit import record_deletion
from leaderboard.accounts.models import (
    Entrant,
    Invitation,
    Membership,
    OrganisationDomain,
    Team,
    User,
    check_address,
)
from leaderboard.accounts.teams import free_slug, tidy_name
from leaderboard.mail.models import OutgoingMail
from leaderboard.mail.outbox import mail_users
from leaderboard.pages.shared.access import signed_in
from leaderboard.site_admin.bases import (
    Admin,
    Deletable,
    ReasonForm,
    WaitingFilter,
    WithPages,
    column,
)

# The site's own page asks for the password, with its limits.
admin.site.login = secure_admin_login(lambda _request: redirect("admin:index"))  # type: ignore[method-assign]
# Providers are set by the environment. The others are each person's own matter, or below.
admin.site.unregister([Authenticator, EmailAddress, Group])
admin.site.unregister([SocialAccount, SocialApp, SocialToken, UserSession])
admin.site.site_header = "Assay"
admin.site.site_title = "Assay"
admin.site.index_title = _("Site contents")


class AddressForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()  # as the model's own clean() later stores it

    def clean(self) -> None:
        super().clean()
        if self.cleaned_data.get("verified") and "email" in self.cleaned_data:
            # A new account has no key yet.
            check_address(self.cleaned_data["email"], self.instance.user_id)


class AddressForms(forms.BaseInlineFormSet):  # type: ignore[type-arg]  # generic only in the stubs
    def clean(self) -> None:
        super().clean()
        rows = [form for form in self.forms if form.is_valid() and form not in self.deleted_forms]
        self.primary = [row.instance.pk for row in rows if row.cleaned_data.get("primary")]
        if len(self.primary) > 1:
            raise ValidationError(_("Only one address can be the primary one."))

    def save(self, commit: bool = True) -> Any:
        if self.primary:  # The rows are saved in their order, never two of them as primary.
            rows = EmailAddress.objects.filter(user=self.instance, primary=True)
            rows.exclude(pk__in=filter(None, self.primary)).update(primary=False)
        return super().save(commit)


class AddressInline(admin.TabularInline):  # type: ignore[type-arg]  # generic only in the stubs
    """Here staff confirm an address that cannot be confirmed by mail."""

    model = EmailAddress
    form = AddressForm
    formset = AddressForms
    extra = 0


class WithoutStaff(Admin):
    """Only superusers see the rows of staff and superusers: whoever changes these could sign in
    with their rights. `person_lookup`: from a row to its person."""

    person_lookup = "user__"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        rights = {f"{self.person_lookup}{name}": False for name in ("is_staff", "is_superuser")}
        return rows if request.user.is_superuser else rows.filter(**rights)


@admin.register(Group)
class RightsAdmin(GroupAdmin):
    """Only superusers add, change and delete groups: these give rights and take them."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, _obj: Any = None) -> bool:
        return request.user.is_superuser

    def has_delete_permission(self, request: HttpRequest, _obj: Any = None) -> bool:
        return request.user.is_superuser


@admin.register(User)
class PersonAdmin(WithoutStaff, UserAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Asks for the e-mail at creation, because sign-in and password resets use it."""

    person_lookup = ""
    inlines = (AddressInline,)
    add_form = AdminUserCreationForm
    _fields = ("username", "email", "usable_password", "password1", "password2")
    add_fieldsets = ((None, {"classes": ("wide",), "fields": _fields}),)

    def get_readonly_fields(self, request: HttpRequest, _obj: Any = None) -> tuple[str, ...]:
        rights = ("is_staff", "is_superuser", "groups", "user_permissions")
        return () if request.user.is_superuser else rights

    def response_action(self, request: HttpRequest, queryset: Any, *more: Any) -> Any:
        try:
            with transaction.atomic():
                return super().response_action(request, queryset, *more)
        except ValidationError as error:
            self.message_user(request, error.messages[0], messages.ERROR)
            return None

    def delete_view(self, request: HttpRequest, object_id: str, *more: Any) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, *more)
        except ValidationError as error:
            self.message_user(request, error.messages[0], messages.ERROR)
            return redirect("admin:accounts_user_change", object_id)

    def delete_model(self, _request: HttpRequest, user: User) -> None:
        record_deletion(user)
        delete_account(user=user, successors={})

    def delete_queryset(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            self.delete_model(request, user)


@admin.register(Authenticator)
class SecondFactorAdmin(WithoutStaff, Deletable):
    """Staff delete the factors of a person who has lost them."""

    fields = ("user", "type", "created_at", "last_used_at")
    list_display = fields
    list_select_related = ("user",)
    search_fields = ("user__username",)


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]  # generic only in the stubs
    model = Membership
    raw_id_fields = ("user",)
    extra = 0


class NameForm(ReasonForm):
    name = forms.CharField(label=_("Name"), max_length=80, required=False)
    locked = forms.BooleanField(label=_("The team cannot change it"), required=False)

    field_order = ("name", "locked", "reason")


class Named(WithPages):
    """Rows with a public name, which staff hide, replace or allow, and lock. The team gets the
    reason by e-mail."""

    @admin.display(description=_("decide"))
    def name_page(self, row: Team | Entrant) -> SafeString:
        address = reverse(f"admin:accounts_{self.opts.model_name}_name", args=[row.pk])
        return format_html('<a href="{}">{}</a>', address, gettext("Decide on the name"))

    def decide_name(self, request: HttpRequest, object_id: int) -> HttpResponse:
        row = get_object_or_404(self.get_queryset(request), pk=object_id)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        team = row if isinstance(row, Team) else row.team
        old, now = row.name, {"name": row.name, "locked": row.name_locked}
        form = NameForm(request.POST or None, initial=now, help_text=_("The team reads it."))
        if form.is_valid():
            data, allowed = form.cleaned_data, "allow" in request.POST
            try:
                with transaction.atomic():
                    row.name_locked = data["locked"]
                    if allowed and isinstance(row, Entrant):
                        row.name_allowed = True
                    elif (hide := "hide" in request.POST) or data["name"] != old:
                        # The address changes with the name: it may be as rude.
                        row.name = "" if hide else tidy_name(data["name"])
                        row.slug = free_slug(type(row), row.name)
                        row.name = row.slug if hide else row.name
                        row.full_clean()
                    # Takes the reason of an earlier name away.
                    row.save()
                    row.name_reason = "" if allowed else data["reason"]
                    row.save(update_fields=["name_reason"])
                    context = {"old": old, "row": row, "allowed": allowed, **data}
                    text = render_to_string("accounts/name_email.txt", context)
                    members = User.objects.filter(teams=team)
                    number = mail_users(members, gettext("A name of your team %s") % team, text)
            except ValidationError as error:
                row.name, row.name_locked = old, now["locked"]
                form.add_error("name", error.messages)
            else:
                words = f"{old} → {row.name}: {data['reason']}"
                LogEntry.objects.log_actions(signed_in(request).pk, [row], CHANGE, words)
                stored = ngettext(
                    "The decision is stored. %(number)d member gets an e-mail.",
                    "The decision is stored. %(number)d members get an e-mail.",
                    number,
                ) % {"number": number}
                self.message_user(request, stored, messages.INFO if number else messages.WARNING)
                return redirect(f"admin:accounts_{self.opts.model_name}_changelist")
        like: QuerySet[Entrant] = Entrant.objects.none()
        if isinstance(row, Entrant):
            like = Entrant.objects.published_like(row.skeleton, row.team_id)
            like = like.select_related("team").distinct()
        title = gettext("Decide on a name")
        return self.page(request, "accounts/name", title, row=row, team=team, form=form, like=like)


@admin.register(Team)
class TeamAdmin(Named):
    list_display = ("name", "slug", column("members_there", _("members")), "created", "name_page")
    pages = (("<int:object_id>/name/", "decide_name", "accounts_team_name"),)
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


class NameFilter(WaitingFilter):
    title, parameter_name, words = _("name"), "name", _("looks like a published one")


@admin.register(Entrant)
class EntrantAdmin(Named):
    list_display = (
        *("name", "team", "organisation", "parameters", "weights", "created", "name_page"),
    )
    pages = (("<int:object_id>/name/", "decide_name", "accounts_entrant_name"),)
    list_select_related = ("team",)
    list_filter = (NameFilter, "weights")
    formfield_overrides: ClassVar = {models.URLField: {"assume_scheme": "https"}}
    search_fields = ("name", "slug", "organisation", "team__name")
    raw_id_fields = ("team",)


@admin.register(OrganisationDomain)
class OrganisationDomainAdmin(Admin):
    list_display = ("domain", "organisation")


@admin.register(OutgoingMail)
class OutgoingMailAdmin(Deletable):
    list_display = ("id", "created", "due", "failures", "cause", "given_up")
    list_filter = (("given_up", admin.EmptyFieldListFilter), "created")
    fields = ("recipients", "created", "due", "failures", "cause", "given_up")
    actions = ("send_again",)

    @admin.action(description=_("Send again"), permissions=["change"])
    def send_again(self, request: HttpRequest, rows: QuerySet[OutgoingMail]) -> None:
        number = rows.update(given_up=None, due=Now(), created=Now(), failures=F("attempt"))
        words = ngettext("%(n)d message is sent again.", "%(n)d messages are sent again.", number)
        messages.info(request, words % {"n": number})
