"""Tests that no address answers a stranger's or a member's nonsense with a fault of the server."""

import re
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from typing import Any
from unittest import mock
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.leaderboard.addresses.marked import MEMBER, STRANGER, Site
from tests.leaderboard.addresses.table import TABLE
from tests.leaderboard.addresses.visiting import body as body_of
from tests.leaderboard.addresses.visiting import route_of, routes, undone, visitor
from tests.leaderboard.addresses.walking import PUBLIC, Request

# Values that have broken sites: of numbers, of texts, of encodings, of addresses.
HOSTILE = (
    *("", "0", "-1", "1", "2", "9" * 30, "9" * 5000, "1e999", "nan", "inf", "0x1", "\u0663", "1_0"),
    *("\0", "a\0b", "\ud800", "\udcff", "\ufffe", "x" * 5000, "a\nb\r\nc", " ", "\u202e", "%", "'"),
    *(
        "foo",
        "/",
        "//evil.example",
        "/\\evil.example",
        "/ok/",
        "/\0",
        "/\n",
        "http://[",
        "..",
        "?#",
    ),
    *("javascript:1", "{{x}}", "[]", "(", "*", "2026-13-45", "common", "base", "larch", "latest"),
)
values = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20), st.integers().map(str))
# The names that forms, redirects and live parts read; what a page does not read is not sent to it.
NAMES = (*sorted(PUBLIC), "next", "board", "seen", "all", "benchmark", "q", "verdict")
FIELDS = (*NAMES, "username", "password", "email", "password1", "password2", "new_password1")
FIELDS += ("login", "team", "name", "person", "role", "reason", "entrant", "key", "file", "text")
HEADERS = ("Accept-Language", "Referer", "If-None-Match", "If-Modified-Since", "X-Request-ID")
HEADERS += ("HX-Request", "HX-Current-URL", "Accept-Encoding", "Origin", "X-Forwarded-For")
# Of each role, so that a run takes five seconds.
EXAMPLES = 80
COOKIES = ("sessionid", "django_language", "messages", "csrftoken")


def quoted(text: str) -> str:
    """In an address; a lone surrogate becomes bytes that are not UTF-8."""
    return quote_from_bytes(text.encode("utf-8", "surrogatepass"), safe="")


def header(text: str) -> str:
    """As WSGI passes a header: Latin-1, without control characters."""
    return re.sub(r"[\0-\x1f]", "", text).encode("utf-8", "surrogatepass").decode("latin-1")


def as_argument(converter: str, value: str) -> str:
    """The nearest text that the converter accepts: others lead to no view."""
    pattern = {"int": r"[0-9]", "slug": r"[-a-zA-Z0-9_]"}.get(converter, r"[^/]")
    return "".join(re.findall(pattern, value)) or "0"


def filled(route: str, value: str) -> str:
    parameter = re.compile(r"<(?:(\w+):)?\w+>")
    return parameter.sub(lambda it: quoted(as_argument(it[1] or "str", value)), route)


# PostgreSQL refuses more values than SQLite, on which test_requests.py tries odd queries.
@pytest.mark.postgresql
@pytest.mark.parametrize("role", [STRANGER, MEMBER])
def test_nonsense_is_no_fault_of_the_server(site: Site, role: str) -> None:
    client = visitor(site, role)
    cookies = deepcopy(client.cookies)
    urls = sorted({line.url(site) for line in TABLE})
    # The dashboard of the queue is for staff.
    plain = sorted(route for route in routes() if not route.startswith("admin/"))
    # Drawn by route: benchmarks share their routes.
    by_route: dict[str, list[str]] = {}
    for url in urls:
        by_route.setdefault(route_of(url), []).append(url)

    @cache
    def names(url: str) -> list[str]:
        """The names in the query that the page reads; all names if it reads none."""
        client.cookies = deepcopy(cookies)
        with undone(), mock.patch("django.test.client.WSGIRequest", Request):
            answer: Any = client.get(url)
            body_of(answer)
        read = answer.wsgi_request.names_read
        return sorted({*NAMES} & read or NAMES)

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        def query(names: Iterable[str]) -> str:
            return "&".join(f"{name}={quoted(draw(values))}" for name in names)

        draw, method, sent = data.draw, "get", dict[str, Any]()
        part = draw(st.sampled_from(("query", "query", "query", "path", "form", "headers")))
        url = draw(st.sampled_from(by_route[draw(st.sampled_from(sorted(by_route)))]))
        client.cookies = deepcopy(cookies)
        if part == "query":
            url += "?" + query(draw(st.sets(st.sampled_from(names(url)), min_size=1, max_size=4)))
        elif part == "path":
            url = "/" + filled(draw(st.sampled_from(plain)), draw(values))
            method = draw(st.sampled_from(("get", "post")))
        elif part == "form":
            method, url = "post", draw(st.sampled_from(urls))
            body = query(draw(st.sets(st.sampled_from(FIELDS), min_size=3)))
            sent = {"data": body, "content_type": "application/x-www-form-urlencoded"}
        else:
            sent = {"headers": {draw(st.sampled_from(HEADERS)): header(draw(values))}}
            client.cookies[draw(st.sampled_from(COOKIES))] = header(draw(values))
        with undone():
            answer: Any = getattr(client, method)(url, **sent)
            body_of(answer)
        # Its answer on a site without workers, as table.py says.
        is_not_ready = (url.partition("?")[0], answer.status_code) == ("/ready/", 503)
        assert answer.status_code < 500 or is_not_ready, (method, url, sent)

    ask()
