"""URLs of accounts, teams and entrants."""

from allauth.account import views
from allauth.account.urls import urlpatterns as account_pages
from allauth.urls import build_provider_urlpatterns
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.decorators.http import require_POST

from leaderboard.pages.accounts.views import signing, teams, tokens, webhooks

# allauth's pages by the names that it looks up, on the site's addresses. The site's names lead to
# the same addresses.
_ACCOUNTS = {
    "account_login": "sign-in/",
    "account_inactive": "sign-in/closed-account/",
    "account_logout": "sign-out/",
    "account_signup": "sign-up/",
    "account_reset_password": "password-reset/",
    "account_reset_password_done": "password-reset/sent/",
    "account_reset_password_from_key_done": "password-reset/done/",
    "account_change_password": "account/password/",
    "account_set_password": "account/password/first/",
    "account_email": "account/e-mail/",
    "account_email_verification_sent": "account/e-mail/sent/",
    "account_confirm_email": "account/e-mail/<key>/",
    "account_reauthenticate": "account/again/",
    "account_request_reauthentication_code": "account/again/code/",
    "account_confirm_reauthentication_code": "account/again/code/confirm/",
}
_VIEWS = {page.name: page.callback for page in account_pages}

urlpatterns: list[URLPattern | URLResolver] = [
    path("sign-in/", views.login, name="sign-in"),
    path("sign-out/", require_POST(views.logout), name="sign-out"),
    path("sign-up/", views.signup, name="sign-up"),
    path("password-reset/", views.password_reset, name="password-reset"),
    path("account/password/", views.password_change, name="password-change"),
    *(path(route, _VIEWS[name], name=name) for name, route in _ACCOUNTS.items()),
    re_path(
        r"^password-reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("sign-in/", include(build_provider_urlpatterns())),
    path("account/providers/", include("allauth.socialaccount.urls")),
    path("account/second-factor/", include("allauth.mfa.urls")),
    path("account/sessions/", include("allauth.usersessions.urls")),
    path("language/<slug:code>/", signing.language, name="language"),
    path("account/", teams.account, name="account"),
    path("account/export/", teams.account_export, name="account-export"),
    path("account/delete/", teams.account_delete, name="account-delete"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.token_revoke, name="token-revoke"),
    path("account/invitations/<int:pk>/", teams.invitation_answer, name="invitation-answer"),
    path("teams/new/", teams.team_new, name="team-new"),
    path("teams/<slug:slug>/", teams.team, name="team"),
    path("teams/<slug:slug>/name/", teams.team_rename, name="team-rename"),
    path("teams/<slug:slug>/members/", teams.member_add, name="member-add"),
    path("teams/<slug:slug>/members/<int:pk>/role/", teams.member_role, name="member-role"),
    path("teams/<slug:slug>/members/<int:pk>/remove/", teams.member_remove, name="member-remove"),
    path("teams/<slug:slug>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("teams/<slug:slug>/webhooks/<int:pk>/", webhooks.webhook_change, name="webhook-change"),
    path("teams/<slug:slug>/entrants/new/", teams.entrant_new, name="entrant-new"),
    path("entrants/<slug:slug>/edit/", teams.entrant_edit, name="entrant-edit"),
]
