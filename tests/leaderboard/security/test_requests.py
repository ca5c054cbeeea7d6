"""Tests of the headers of every answer, and of requests that no honest browser would send."""

import re
from collections.abc import Set
from itertools import cycle, product
from pathlib import Path
from unittest import mock
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import resolve, reverse
from pytest_django.fixtures import Settings

from leaderboard.middleware import POLICY
from tests.leaderboard.addresses.marked import OWNER, STAFF, STRANGER, Site
from tests.leaderboard.addresses.table import TABLE, admin_addresses
from tests.leaderboard.addresses.test_headers import HEADERS, carried
from tests.leaderboard.addresses.visiting import body, route_of, undone, visitor
from tests.leaderboard.addresses.walking import EVERY, PUBLIC, Request
from tests.support.cast import PASSWORD

pytestmark = pytest.mark.any_database

ELSEWHERE = ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)")
# Values in addresses that no encoding has, or that no column holds.
ODD = ("\ud800", "9" * 40)
# Parameters that pages read in whole queries or only in requests for live parts.
ALSO = {"benchmark", "board", "seen"}


def odd_queries(read: Set[str]) -> list[str]:
    """A query of all names for each odd value; one of both values for a page that reads no query.
    `read` are the names that the page reads. What PostgreSQL alone refuses is tried in
    addresses/test_fuzz.py."""
    names = sorted((PUBLIC | ALSO | read) - {EVERY})
    sent = [quote(value.encode("utf-8", "surrogatepass")) for value in ODD]
    if not read:
        return [
            "&".join(f"{name}={value}" for name, value in zip(names, cycle(sent), strict=False))
        ]
    return ["&".join(f"{name}={value}" for name in names) for value in sent]


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


def test_a_language_is_set_and_leads_back_to_this_site(site: Site) -> None:
    for target in (*ELSEWHERE, "/docs/?a=1&b=%2F", "", "foo", "home", "foo.html"):
        client = visitor(site, STRANGER)
        answer = client.get(reverse("language", args=["ru"]), {"next": target})
        back = target if "docs" in target else "/"
        assert (answer.status_code, answer["Location"]) == (302, back)
        assert 'lang="ru"' in client.get("/").text


def test_every_post_wants_a_token_of_ours(site: Site) -> None:
    """The middleware asks for it, except by views that are exempt: the API's ignore the session."""
    strict = visitor(site, OWNER, enforce_csrf_checks=True)
    assert strict.post(reverse("entrant-edit", args=[site.larch.slug])).status_code == 403
    urls = {line.name: line.url(site) for line in TABLE}
    urls |= {url: url for url in admin_addresses(site)}
    exempt = {
        name for name, url in urls.items() if getattr(resolve(url).func, "csrf_exempt", False)
    }
    assert exempt and [name for name in exempt if not name.startswith("api:")] == []


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


def test_uploaded_files_are_served_at_no_address(site: Site, settings: Settings) -> None:
    name = site.upload.file.name
    assert site.upload.file.storage.exists(name)
    client = visitor(site, STAFF)
    folders = ("", "media/", "uploads/", "static/", "static/../uploads/", "static/%2e%2e/uploads/")
    answers = {client.get(f"/{folder}{name}").status_code for folder in folders}
    assert answers == {404}

    page = visitor(site, OWNER).get(site.upload.get_absolute_url())
    assert str(settings.MEDIA_ROOT) not in page.text
    assert Path(site.upload.file.path).stat().st_mode & 0o777 == 0o600


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
