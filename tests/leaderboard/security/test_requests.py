"""Tests of the headers of every answer, and of requests that no honest browser would send."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Set
from itertools import cycle, product
from pathlib import Path
from unittest import mock
from urllib.parse import quote, unquote

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django.fixtures import Settings

from leaderboard.middleware import POLICY
from tests.leaderboard.addresses.marked import OWNER, STAFF, STRANGER, Site
from tests.leaderboard.addresses.table import TABLE, admin_addresses
from tests.leaderboard.addresses.test_headers import HEADERS, carried
from tests.leaderboard.addresses.visiting import body, route_of, undone, visitor
from tests.leaderboard.addresses.walking import EVERY, PUBLIC, Request
from tests.support.cast import PASSWORD
from tests.support.commands import ROOT

pytestmark = pytest.mark.any_database

ELSEWHERE = ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)")
# Values in addresses that databases refuse, or that are not numbers.
ODD = ("\0", "\ud800", "-1", "9" * 40)
# Parameters that pages read in whole queries or only in requests for live parts.
ALSO = {"benchmark", "board", "seen"}
SEARCHED = ("level", "category", "revision", "organisation")


def odd_queries(read: Set[str]) -> Iterator[str]:
    """Yields a query of all names for each odd value and, on PostgreSQL, a query for each searched
    name with the value that it refuses; for a page that reads no query, one of all odd values.
    `read` are the names that the page reads."""
    names = sorted((PUBLIC | ALSO | read) - {EVERY})
    sent = [quote(value.encode("utf-8", "surrogatepass")) for value in ODD]
    if read:
        for value in sent:
            yield "&".join(f"{name}={value}" for name in names)
        for name in SEARCHED:
            if connection.vendor == "postgresql" and read & {EVERY, name}:
                yield f"{name}={sent[0]}"
    else:
        yield "&".join(f"{name}={value}" for name, value in zip(names, cycle(sent), strict=False))


def test_the_policy_lets_nothing_inline_or_foreign_run() -> None:
    rules = dict(rule.split(" ", 1) for rule in POLICY.split("; "))
    assert (rules["default-src"], rules["script-src"], rules["style-src"]) == (
        "'none'",
        "'self'",
        "'self'",
    )
    assert (rules["form-action"], rules["base-uri"]) == ("'self'", "'none'")
    assert not any("unsafe-eval" in rule or "http" in rule for rule in rules.values())


def test_errors_carry_it_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> None:
        raise ValueError("veiled cause at /secret/path")

    monkeypatch.setattr("leaderboard.boards.queries.site_counts", broken)
    answer = visitor(site, STAFF).get("/")
    assert (answer.status_code, carried(answer.headers)) == (500, HEADERS)
    said = answer.text
    assert [word for word in ("veiled", "Traceback", "ValueError", "/secret") if word in said] == []


def test_another_sites_name_is_refused(site: Site) -> None:
    for host in ("evil.example", "localhost.evil.example", "localhost:x", "a b"):
        answer = visitor(site, STRANGER).get("/", headers={"host": host})
        assert (answer.status_code, host in answer.text) == (400, False), host


def test_a_reset_names_no_site_but_ours(site: Site, mailoutbox: list[object]) -> None:
    forged = {"host": "evil.example", "x-forwarded-host": "evil.example"}
    data = {"email": site.cast.alice.email}
    url = reverse("password-reset")
    assert visitor(site, STRANGER).post(url, data, headers=forged).status_code == 400
    visitor(site, STRANGER).post(url, data, headers={"x-forwarded-host": "evil.example"})
    assert ["evil" in str(mail.body) for mail in mailoutbox] == [False]  # type: ignore[attr-defined]


def test_nobody_is_led_to_another_site(site: Site) -> None:
    dora = site.cast.dora.username
    # A name of a view is no page: `redirect` would look it up.
    for name, target in product(("sign-in", "sign-up"), (*ELSEWHERE, "foo")):
        data = dict.fromkeys(("password", "password1", "password2"), PASSWORD)
        data |= {"login": dora, "username": "newcomer", "email": "new@example.org"}
        url = f"{reverse(name)}?next={quote(target)}"
        with undone():
            answer = visitor(site, STRANGER).post(url, data | {"next": target})
        assert answer.status_code == 302, url
        assert answer["Location"].startswith("/") and "evil" not in answer["Location"], url
        page = visitor(site, STRANGER).get(url, follow=True).text
        assert not re.search(rf'(href|action)="{re.escape(target)}"', page), url


def test_the_admins_sign_in_leads_to_the_admin(site: Site) -> None:
    for target in ELSEWHERE:
        url = f"{reverse('admin:login')}?next={quote(target)}"
        with undone():
            client = visitor(site, STRANGER)
            page = client.get(url)["Location"]
            answer = client.post(page, {"login": site.cast.dora.username, "password": PASSWORD})
            assert answer["Location"] == unquote(page.partition("next=")[2])
            assert client.get(answer["Location"])["Location"] == reverse("admin:index"), url


def test_a_language_is_set_and_leads_back_to_this_site(site: Site) -> None:
    for target in (*ELSEWHERE, "/docs/?a=1&b=%2F", "", "foo", "home", "foo.html"):
        client = visitor(site, STRANGER)
        answer = client.get(reverse("language", args=["ru"]), {"next": target})
        back = target if "docs" in target else "/"
        assert (answer.status_code, answer["Location"]) == (302, back)
        assert 'lang="ru"' in client.get("/").text


def test_every_post_wants_a_token_of_ours(site: Site) -> None:
    strict = visitor(site, OWNER, enforce_csrf_checks=True)
    staff = visitor(site, STAFF, enforce_csrf_checks=True)
    # A view asks for it or not, whatever the view shows.
    views = {
        line.name: line for line in TABLE if line.expected("POST")[OWNER] not in ("405", "404")
    }
    assert len(views) > 40
    for name, line in views.items():
        with undone():
            # The API ignores the session.
            status = 401 if name.startswith("api:") else 403
            assert strict.post(line.url(site), line.data).status_code == status, name
    for url in admin_addresses(site):
        assert staff.post(url).status_code == 403, url


def test_only_the_signed_in_may_send_much(site: Site) -> None:
    url = reverse("password-change")
    for length, status in (("", 302), ("1048576", 302), ("1048577", 413), ("x", 413)):
        stranger = visitor(site, STRANGER).post(url, CONTENT_LENGTH=length)
        assert stranger.status_code == status, length
    for length in ("9" * 5000, "-1", "\u0663"):
        assert visitor(site, STRANGER).post(url, CONTENT_LENGTH=length).status_code < 500
    assert visitor(site, OWNER).post(url, {"x": "x" * 2**20}).status_code == 200


def test_odd_addresses_break_nothing(site: Site) -> None:
    """Of the addresses of a route and a benchmark that read the same names, the first is tried: a
    rated board is read by other code than a tested one. An owner tries only
    the pages that a stranger cannot read; the other pages read queries in the same way for both."""
    urls, broken = sorted({line.url(site) for line in TABLE}), []
    tried: set[tuple[str, str, frozenset[str]]] = set()
    with mock.patch("django.test.client.WSGIRequest", Request):
        for role in (STRANGER, OWNER):
            client, unread = visitor(site, role), []
            for url in urls:
                plain = client.get(url)
                # A file that nobody reads to its end stays locked for others.
                body(plain)
                if plain.status_code != 200:
                    unread.append(url)
                    continue
                read = frozenset(plain.wsgi_request.names_read)
                benchmark = url.split("/")[2] if url.startswith("/benchmarks/") else ""
                if (route_of(url), benchmark, read) not in tried:
                    tried.add((route_of(url), benchmark, read))
                    asked = [f"{url}?{query}" for query in odd_queries(read)]
                    broken += [query for query in asked if client.get(query).status_code >= 500]
            urls = unread
    assert broken == []
    assert len(tried) > 40


def test_numbers_that_nothing_has_are_not_found(site: Site) -> None:
    client = visitor(site, STAFF)
    for number in (0, 2**31, 2**63, 10**40):
        urls = [
            reverse("upload", args=[number]),
            reverse("submission", args=[number]),
            reverse("submission-task", args=[site.published.pk, number or 999]),
            reverse("task", args=[site.benchmark.slug, number or 999]),
        ]
        assert {url: client.get(url).status_code for url in urls} == dict.fromkeys(urls, 404)


def test_documentation_is_what_is_meant_for_users(site: Site) -> None:
    client = visitor(site, STAFF)
    for slug in ("..", "..%2f..%2fREADME", "%2e%2e", "....//setup", "metrics.md", "threat-model"):
        assert client.get(f"/docs/{slug}/").status_code == 404, slug


def test_uploaded_files_are_served_at_no_address(site: Site, settings: Settings) -> None:
    name = site.upload.file.name
    assert site.upload.file.storage.exists(name)
    client = visitor(site, STAFF)
    folders = ("", "media/", "uploads/", "static/", "static/../uploads/", "static/%2e%2e/uploads/")
    answers = {client.get(f"/{folder}{name}").status_code for folder in folders}
    assert answers == {404}

    page = visitor(site, OWNER).get(site.upload.get_absolute_url())
    assert str(settings.MEDIA_ROOT) not in page.text


def test_files_are_for_the_sites_user_alone(site: Site) -> None:
    assert Path(site.upload.file.path).stat().st_mode & 0o777 == 0o600


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(site: Site) -> None:
    client = Client()
    data = {"login": site.cast.alice.username, "password": PASSWORD}
    client.post(reverse("sign-in"), data)
    cookie = client.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_with_https_cookies_and_pages_go_by_nothing_else(tmp_path: Path) -> None:
    """In a separate process, because settings are read once."""
    said = """
import django; django.setup()
from django.conf import settings as s
print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_SSL_REDIRECT,
      s.SECURE_HSTS_SECONDS > 0, s.SECURE_PROXY_SSL_HEADER, s.SESSION_COOKIE_HTTPONLY, s.DEBUG)
"""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "ASSAY_DATA_DIR": str(tmp_path),
        "ASSAY_HTTPS": "1",
    }
    environment.pop("ASSAY_DEBUG", None)
    command = [sys.executable, "-c", said]
    ran = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    header = "('HTTP_X_FORWARDED_PROTO', 'https')"
    assert ran.stdout.strip() == f"True True True True {header} True False", ran.stderr


@override_settings(SECURE_PROXY_SSL_HEADER=None)
def test_without_https_nobody_claims_it(site: Site) -> None:
    answer = visitor(site, STRANGER).get("/", headers={"x-forwarded-proto": "https"})
    assert not answer.wsgi_request.is_secure()


BROKEN_BODIES = {
    "no boundary": ("multipart/form-data", b"abc"),
    "boundary of 300": (f"multipart/form-data; boundary={'x' * 300}", b"abc"),
    "base64": (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n'
        b"Content-Transfer-Encoding: base64\r\n\r\nA\r\n--x--\r\n",
    ),
    "long header": ("multipart/form-data; boundary=x", b"--x\r\nX: " + b"y" * 70_000),
    "many fields": ("application/x-www-form-urlencoded", b"a=1&" * 1500),
    "many files": (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n1\r\n' * 150,
    ),
    "another charset": ("application/x-www-form-urlencoded; charset=utf-16", b"a=%ff"),
    "no charset of Python": ("multipart/form-data; boundary=x; charset=nosuch", b"--x--"),
}


@pytest.mark.parametrize("kind", BROKEN_BODIES)
def test_a_broken_body_is_no_fault_of_the_site(db: None, kind: str) -> None:
    content_type, content = BROKEN_BODIES[kind]
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.cookies["csrftoken"] = "a" * 32
    paths = ("/", "/none/", "/sign-in/", "/sign-up", "/health/", "/admin/none/", "/static/none")
    statuses = {
        path: client.generic("POST", path, content, content_type).status_code for path in paths
    }
    assert max(statuses.values()) < 500, statuses
