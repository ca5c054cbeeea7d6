"""URLs of accounts, teams and entrants."""

from __future__ import annotations

from django.urls import URLPattern, path

from leaderboard.pages.accounts.views import signing
from leaderboard.pages.accounts.views.teams import (
    account,
    account_delete,
    account_export,
    entrant_edit,
    entrant_new,
    invitation_answer,
    member_add,
    member_remove,
    member_role,
    team,
    team_new,
    team_rename,
)

urlpatterns: list[URLPattern] = [
    path("sign-in/", signing.sign_in, name="sign-in"),
    path("sign-out/", signing.sign_out, name="sign-out"),
    path("sign-up/", signing.sign_up, name="sign-up"),
    path("password-reset/", signing.password_reset, name="password-reset"),
    # Django's views look up the names with underscores.
    path("password-reset/sent/", signing.password_reset_done, name="password_reset_done"),
    path(
        "password-reset/<uidb64>/<token>/",
        signing.password_reset_confirm,
        name="password_reset_confirm",
    ),
    path("password-reset/done/", signing.password_reset_complete, name="password_reset_complete"),
    path("language/<slug:code>/", signing.language, name="language"),
    path("account/", account, name="account"),
    path("account/export/", account_export, name="account-export"),
    path("account/delete/", account_delete, name="account-delete"),
    path("account/invitations/<int:pk>/", invitation_answer, name="invitation-answer"),
    path("account/password/", signing.password_change, name="password-change"),
    path("teams/new/", team_new, name="team-new"),
    path("teams/<slug:slug>/", team, name="team"),
    path("teams/<slug:slug>/name/", team_rename, name="team-rename"),
    path("teams/<slug:slug>/members/", member_add, name="member-add"),
    path("teams/<slug:slug>/members/<int:pk>/role/", member_role, name="member-role"),
    path("teams/<slug:slug>/members/<int:pk>/remove/", member_remove, name="member-remove"),
    path("teams/<slug:slug>/entrants/new/", entrant_new, name="entrant-new"),
    path("entrants/<slug:slug>/edit/", entrant_edit, name="entrant-edit"),
]
