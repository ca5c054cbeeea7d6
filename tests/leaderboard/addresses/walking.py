"""A walk to every address as one role: each answer is kept once, for every test that reads it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias
from unittest import mock

import pytest
from django.core.handlers.wsgi import WSGIRequest, get_bytes_from_wsgi
from django.http import QueryDict
from django.http.request import HttpHeaders
from django.urls import reverse
from django.utils.translation import get_language, override

from leaderboard.boards.filters import NAMES
from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.pages.caching import PARAMETERS
from tests.leaderboard.addresses.marked import (
    MEMBER,
    OTHER,
    OWNER,
    ROLES,
    SEEN_BY,
    STAFF,
    STRANGER,
    Site,
)
from tests.leaderboard.addresses.table import NO_POST, TABLE, admin_addresses
from tests.leaderboard.addresses.visiting import body, undone, visitor, word
from tests.leaderboard.test_translations import english_texts

LIVE = {"HX-Request": "true"}
HTML = "text/html; charset=utf-8"
# Parameters of public pages. A page may read the whole query, which does not tell their names.
PUBLIC = PARAMETERS | set(NAMES)
# Queries that may change what an address shows: filters, orders, pages, revisions, and nonsense.
_CHOSEN = (
    "?sort=latest&page=2&weights=open&size=large",
    "?sort=hardest&verdict=passed&revision=sample&organisation=Northwood",
    "?sort=codeif-function&verdict=review&setting=base&organisation=Fenland",
    "?setting=two_round&level=L-1&seen=now",
    "?revision=none",
    "?benchmark=codeif-function&setting=base&entrant=birch&board=codeif-function/base",
    "?by=skill&since=30&provenance=upload&hide=judged&slice=level&value=easy&q=larch",
)


def names_in(queries: Iterable[str]) -> set[str]:
    return {name for query in queries for name in QueryDict(query.lstrip("?"))}


# The parameters that no query above has are in the last one.
QUERIES = (
    *_CHOSEN[:-1],
    "&".join([_CHOSEN[-1], *(f"{name}=1" for name in sorted(PUBLIC - names_in(_CHOSEN)))]),
)
# Addresses that answer 404 to everyone.
NOWHERE = ("/nothing/here/", "/docs/nothing/", "/uploads/0/", "/static/nothing.css")

EVERY = "*"
# For tests of a walk, role by role.
every_role = pytest.mark.parametrize(
    "role", [pytest.param(role, marks=pytest.mark.any_database) for role in ROLES], scope="session"
)


def _noting(method: str, *, every: bool = False) -> Any:
    """QueryDict's method, after a note of the parameter that it is called with."""

    def noting(query: Query, *given: Any) -> Any:
        if query.names is not None:
            query.names.add(EVERY if every else str(given[0]))
        return getattr(QueryDict, method)(query, *given)

    return noting


class Query(QueryDict):
    """Records in `names` which parameters a page reads; EVERY if it reads all of them."""

    names: set[str] | None = None
    __getitem__ = _noting("__getitem__")
    __contains__ = _noting("__contains__")
    getlist = _noting("getlist")
    __iter__ = _noting("__iter__", every=True)
    __len__ = _noting("__len__", every=True)
    keys = _noting("keys", every=True)
    lists = _noting("lists", every=True)


class Request(WSGIRequest):
    """Records which parameters a page reads, and whether it reads headers. What a page does not
    read cannot change its answer, so the walk need not send it."""

    reads_headers = False

    @cached_property
    def names_read(self) -> set[str]:
        return set()

    @cached_property
    def GET(self) -> QueryDict:
        found = Query(get_bytes_from_wsgi(self.environ, "QUERY_STRING", ""), encoding=self.encoding)
        found.names = self.names_read
        return found

    @cached_property
    def headers(self) -> HttpHeaders:
        self.reads_headers = True
        return super().headers


@dataclass(frozen=True, slots=True)
class Answer:
    """`marks` are the marks in the headers and the body, `english` the English texts of a page in
    Russian."""

    word: str
    status: int
    headers: Mapping[str, str]
    marks: frozenset[str]
    has_empty_link: bool
    has_token: bool
    english: tuple[str, ...]
    names_read: frozenset[str]
    reads_headers: bool

    def depends_on(self, query: str) -> bool:
        return bool(self.names_read & {EVERY, *names_in([query])})


# The name and the address of a line.
Place: TypeAlias = tuple[str, str]
# The word in the table, and the answer.
Expected: TypeAlias = tuple[str, Answer]


class Walk:
    """The parts of a walk, each made when a test first reads it."""

    # Returns the marked site, in the database of the test that is running.
    site: Callable[[], Site]

    def __init__(self, role: str, language: str = "en") -> None:
        self.role, self.language = role, language
        self.logged: list[str] = []

    @cached_property
    def got(self) -> dict[Place, Expected]:
        """What GET answers at every line of the table."""
        return self._table("GET")

    @cached_property
    def posted(self) -> dict[Place, Expected]:
        """What POST answers at every line of the table. At lines that take none from anybody only
        a stranger and staff try it."""
        return self._table("POST")

    def _table(self, method: str) -> dict[Place, Expected]:
        site = self.site()
        with self.asking(site) as ask:
            return {
                (line.name, line.url(site)): (
                    line.expected(method)[self.role],
                    ask(method, line.url(site), line.data if method == "POST" else None),
                )
                for line in TABLE
                if (method, line.post) != ("POST", NO_POST) or self.role in (STRANGER, STAFF)
            }

    @cached_property
    def beyond(self) -> dict[str, Answer]:
        """The answers for which the table has no line: other tasks, charts and teams, queries, live
        parts. An owner gets none: these are the same for owners and members. Another team's member
        gets no queries and live parts: to a member, Fenland is what Northwood is to them. Members
        and staff get none of pages that a stranger may read, and staff none of those that a member
        may: these read them in the same way for all."""
        if self.role == OWNER:
            return {}
        site = self.site()
        with self.asking(site) as ask:
            found = {url: ask("GET", url) for url in others(site)}
            if self.role == OTHER:
                return found
            plain = {url: seen for (_, url), (_, seen) in self.got.items()}
            for role in {MEMBER: [STRANGER], STAFF: [STRANGER, MEMBER]}.get(self.role, []):
                for line in TABLE:
                    if line.expected("GET")[role] == "200":
                        plain.pop(line.url(site), None)
            for url, seen in (plain | found).items():
                if seen.status in (302, 404, 405):
                    continue
                if seen.reads_headers:
                    found[f"{url} live"] = ask("GET", url, headers=LIVE)
                for query in filter(seen.depends_on, QUERIES):
                    found[url + query] = ask("GET", url + query)
        return found

    @cached_property
    def admin(self) -> dict[str, Expected]:
        """The answers to GET in the admin, with what staff expect there; none for other roles, whom
        the admin does not tell apart."""
        if self.role != STAFF:
            return {}
        site = self.site()
        with self.asking(site) as ask:
            return {url: (word, ask("GET", url)) for url, word in admin_addresses(site).items()}

    @contextmanager
    def asking(self, site: Site) -> Iterator[Callable[..., Answer]]:
        """Yields a function that sends requests as the role, each as if nothing had been asked
        before."""
        client = visitor(site, self.role)
        cookies = deepcopy(client.cookies)
        language = {"Accept-Language": self.language}

        def ask(method: str, url: str, data: Any = None, headers: Any = None) -> Answer:
            client.cookies = deepcopy(cookies)
            send = client.get if method == "GET" else client.post
            with undone(), override(get_language()):
                return answer_of(send(url, data, headers=language | (headers or {})))

        with logged(self.logged), mock.patch("django.test.client.WSGIRequest", Request):
            yield ask


def answer_of(given: Any) -> Answer:
    text, request = body(given), given.wsgi_request
    # Django keeps cookies apart from other headers.
    cookies = {"Set-Cookie": str(given.cookies)} if given.cookies else {}
    kind = given.headers.get("Content-Type", ""), given.headers.get("Content-Language", "")
    # In Russian, too, the name of OpenAI's API is English.
    russian = given.content.decode() if kind == (HTML, "ru") else ""
    return Answer(
        word=word(given),
        status=given.status_code,
        headers=dict(given.items()) | cookies,
        marks=frozenset(mark for mark in SEEN_BY if mark in text),
        has_empty_link='href=""' in text,
        has_token="csrf" in text,
        english=tuple(english_texts(russian.replace("(chat completions)", ""))),
        names_read=frozenset(request.names_read),
        reads_headers=request.reads_headers,
    )


@contextmanager
def logged(messages: list[str]) -> Iterator[None]:
    """Adds every log record of any level to `messages`."""

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(self.format(record))

    root, handler = logging.getLogger(), Keeping()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def others(site: Site) -> list[str]:
    slugs = [site.benchmark.slug, site.unlisted.slug]
    found = [reverse("chart", args=[slug, name]) for slug in slugs for name in CHARTS]
    found += [
        reverse("submission-task", args=[submission.pk, number])
        for submission in (site.published, site.private, site.judging, site.theirs)
        for number in (1, 11, 999)
    ]
    found += [thing.get_absolute_url() for thing in (site.theirs, site.their_upload)]
    return [*found, site.cast.fenland.get_absolute_url(), *NOWHERE]
