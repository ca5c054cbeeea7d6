"""Accounts in Chromium: another site's accounts, second factors and passkeys, in every look."""

import re
import time
from collections.abc import Iterator

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.browser.people import PASSWORD, settled, sign_in
from tests.browser.test_pages import EVERY_LOOK, TWO_LOOKS, Look, faults
from tests.leaderboard.test_translations import english_texts
from tests.support.browser import WATCH_PAINT, new_page, pictured
from tests.support.cast import Cast
from tests.support.oidc import Provider, known_to


@pytest.fixture
def site(live_server: LiveServer, quick: None, own_caches: None) -> str:
    assert Cast().alice.confirmed
    # Passkeys need a name.
    return live_server.url.replace("127.0.0.1", "localhost")


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with known_to(settings) as running:
        yield running


def test_the_policy_lets_a_form_lead_to_the_provider(
    site: str, provider: Provider, chromium: Browser
) -> None:
    """Chromium checks the target of a form after each redirect."""
    with new_page(chromium, address=site) as page:
        page.goto("/sign-in/")
        settled(page)
        page.get_by_role("button", name="The Lab").click()
        page.wait_for_url("**/account/providers/signup/")
        settled(page)
        expect(page.get_by_label("Username")).to_have_value("eve")
        page.locator("main button[type=submit]").click()
        page.wait_for_url("**/account/")
        expect(page.get_by_role("heading", name="eve")).to_be_visible()
        page.goto("/account/providers/")
        settled(page)
        expect(page.get_by_text("The Lab").first).to_be_visible()
        page.context.clear_cookies()
        page.goto("/sign-up/")
        page.get_by_role("button", name="The Lab").click()
        page.wait_for_url(f"{site}/")
        settled(page)


def test_without_the_providers_origin_chromium_stops_the_form(
    site: str, provider: Provider, chromium: Browser, settings: Settings
) -> None:
    settings.PROVIDER_ORIGINS = []
    page = chromium.new_page(base_url=site)
    try:
        page.goto("/sign-in/")
        with page.expect_console_message(lambda message: "form-action" in message.text):
            page.get_by_role("button", name="The Lab").click()
        assert page.url == f"{site}/sign-in/"
    finally:
        page.close()


def again(page: Page) -> None:
    """Gives the password again if the site asks for it."""
    if "/account/again/" in page.url:
        settled(page)
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("main button[type=submit]").click()
        page.wait_for_url(lambda url: "/again/" not in url)


def code(secret: str) -> str:
    cache.clear()  # remembers the codes that were used
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def test_an_authenticator_app_is_set_up_and_asked_for(site: str, chromium: Browser) -> None:
    with new_page(chromium, address=site) as page:
        sign_in(page)
        page.goto("/account/second-factor/")
        settled(page)
        page.get_by_role("link", name="Activate").click()
        again(page)
        settled(page)
        pictured(page, "account-app")
        secret = page.locator("#authenticator_secret").input_value()
        assert page.locator("img.qr").evaluate("image => image.naturalWidth") > 0
        page.locator("[name=code]").fill(code(secret))
        page.get_by_role("button", name="Activate").click()
        page.wait_for_url("**/recovery-codes/")
        settled(page)
        pictured(page, "account-codes")
        assert len(re.findall(r"\d{8}", page.locator("#recovery_codes").input_value())) == 10
        page.context.clear_cookies()
        page.goto("/sign-in/")
        page.locator("[name=login]").fill("alice")
        page.locator("[name=password]").fill(PASSWORD)
        page.get_by_role("button", name="Sign In", exact=True).click()
        page.wait_for_url("**/authenticate/")
        settled(page)
        pictured(page, "account-authenticate")
        page.locator("[name=code]").fill(code(secret))
        page.get_by_role("button", name="Sign In", exact=True).click()
        page.wait_for_url(f"{site}/")
        settled(page)


def test_a_passkey_is_added_and_signs_in(site: str, chromium: Browser) -> None:
    with new_page(chromium, address=site) as page:
        devtools = page.context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        sign_in(page)
        page.goto("/account/second-factor/webauthn/add/")
        again(page)
        settled(page)
        pictured(page, "account-passkey")
        page.get_by_label("Passwordless").check()
        page.get_by_role("button", name="Add").click()
        page.wait_for_url("**/recovery-codes/")
        settled(page)
        page.goto("/account/second-factor/webauthn/")
        settled(page)
        pictured(page, "account-keys")
        page.context.clear_cookies()
        page.goto("/sign-in/")
        page.get_by_role("button", name="Sign in with a passkey").click()
        page.wait_for_url(f"{site}/")
        settled(page)
        page.goto("/account/")
        expect(page.get_by_role("heading", name="alice")).to_be_visible()


PAGES = (
    "/account/",
    "/account/?unconfirmed",
    "/account/password/",
    "/account/e-mail/",
    "/account/again/",
    "/account/sessions/",
    "/account/providers/",
    "/account/second-factor/",
    "/account/second-factor/webauthn/",
)
# The pages that `make test` tries with all of axe's rules: a form, its problems, lists, scripts.
SOME = (
    "/sign-up/",
    "/password-reset/1-none/",
    "/account/",
    "/account/e-mail/",
    "/account/second-factor/webauthn/",
)
BEFORE = (
    "/sign-in/",
    "/sign-up/",
    "/password-reset/",
    "/password-reset/sent/",
    "/password-reset/1-none/",
    "/account/e-mail/no-key/",
)


@pytest.mark.parametrize(
    ("language", "looks"),
    [
        # Russian words are the longest.
        ("ru", TWO_LOOKS),
        *(pytest.param(code, EVERY_LOOK, marks=pytest.mark.slow) for code in ("en", "ru", "zh-CN")),
    ],
)
def test_the_pages_are_legible_in_every_look(
    site: str, provider: Provider, chromium: Browser, language: str, looks: list[Look]
) -> None:
    seen: dict[Look, set[str]] = {look: set() for look in looks}
    with new_page(chromium, address=site, language=language) as page:
        page.add_init_script(WATCH_PAINT)
        for address in (*BEFORE, *PAGES):
            if address == PAGES[0]:
                sign_in(page)
            elif address == PAGES[1]:
                EmailAddress.objects.update(verified=False)
            axe = looks == EVERY_LOOK or address in SOME
            found = [*faults(page, address, seen, axe=axe)]
            assert not found, (address, found)
            if language != "en":
                assert not english_texts(page.locator("main").inner_html()), address
