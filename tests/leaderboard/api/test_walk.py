"""Every operation of the API, with every kind of token, on own and on others' objects."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from leaderboard.api.urls import api
from tests.leaderboard.addresses.conftest import empty_cache, site
from tests.leaderboard.addresses.marked import MEMBER, OTHER, SEEN_BY, STRANGER, Site
from tests.leaderboard.addresses.test_every_address import rows
from tests.leaderboard.addresses.visiting import body, undone
from tests.leaderboard.api.conftest import client_with, token_of

__all__ = ["empty_cache", "site"]
ROOT = "/api/v1"
# Who asks: nobody, another team's member with every scope, and Northwood's bob with some scopes.
WHO = ("nobody", "rival", "read", "submit", "publish", "all")
ROLE = {"nobody": STRANGER, "rival": OTHER}
PUBLIC, NOWHERE = "200 200 200 403 403 200", "404 404 404 403 403 404"


class Line(NamedTuple):
    """`path` names the object of the site whose public id it has, in braces; the statuses are in
    the order of WHO."""

    method: str
    path: str
    statuses: str
    body: Any = None


LINES = [
    *(Line("GET", path, PUBLIC) for path in (
        "benchmarks", "benchmarks/rucodeeval", "benchmarks/rucodeeval/tasks",
        "benchmarks/rucodeeval/board", "benchmarks/rucodeeval/editions", "entrants",
        "entrants/larch", "means", "submissions/{published}", "submissions/{published}/verdicts",
        "submissions/{talk}", "submissions/{published}/every-eval-ever",
        "submissions/{published}/receipt", "receipts/{receipt}", "receipts/{receipt}/verdicts",
        "receipts/{unlisted_receipt}",
    )),
    *(Line("GET", f"submissions/{{{row}}}/{file}", NOWHERE)
      for row in ("private", "theirs", "unfinished") for file in ("every-eval-ever", "receipt")),
    Line("GET", "receipts/{unlisted_receipt}/verdicts", NOWHERE),
    Line("GET", "benchmarks/rucodeeval/matrix", "302 302 302 403 403 302"),
    Line("GET", "benchmarks/rucodeeval/comparison?first=larch&second=larch", NOWHERE),
    *(Line("GET", f"benchmarks/codeif-function{path}", NOWHERE) for path in (
        "", "/tasks", "/board", "/editions", "/matrix",
    )),
    Line("GET", "entrants/alder", NOWHERE),
    *(line for path in ("submissions/{%s}", "submissions/{%s}/verdicts") for line in (
        Line("GET", path % "private", "404 404 200 403 403 200"),
        Line("GET", path % "private_talk", "404 404 200 403 403 200"),
        Line("GET", path % "theirs", "404 200 404 403 403 404"),
        Line("GET", path % "unfinished", NOWHERE),
    )),
    Line("GET", "token", "401 200 200 200 200 200"),
    Line("GET", "token?scope=submit", "401 200 403 200 403 200"),
    Line("GET", "team/entrants", "401 200 200 403 403 200"),
    Line("GET", "team/submissions", "401 200 200 403 403 200"),
    Line("POST", "team/entrants", "401 201 403 201 403 201", {"name": "Egret"}),
    Line("POST", "uploads", "401 422 403 422 403 422"),
    Line("GET", "uploads/{upload}", "401 404 200 403 403 200"),
    Line("GET", "uploads/{refused}", "401 404 200 403 403 200"),
    Line("GET", "uploads/{their_upload}", "401 200 404 403 403 404"),
    Line("POST", "uploads/{upload}/submit", "401 404 403 202 403 202", {}),
    Line("POST", "uploads/{refused}/submit", "401 404 403 409 403 409", {}),
    Line("POST", "uploads/{upload}/discard", "401 404 403 200 403 200"),
    Line("POST", "uploads/{their_upload}/discard", "401 200 403 404 403 404"),
    *(Line("GET", f"submissions/{{{own}}}/progress", "401 404 200 403 403 200") for own in (
        "published", "private", "judging", "talk",
    )),
    Line("GET", "submissions/{theirs}/progress", "401 200 404 403 403 404"),
    Line("GET", "submissions/{unfinished}/progress", "401 404 404 403 403 404"),
    Line("POST", "submissions/{judging}/cancel", "401 404 403 200 403 200"),
    Line("POST", "submissions/{published}/cancel", "401 404 403 409 403 409"),
    Line("POST", "submissions/{unfinished}/cancel", "401 404 403 404 403 404"),
    Line("POST", "submissions/{private}/publish", "401 404 403 403 200 200"),
    Line("POST", "submissions/{judging}/publish", "401 404 403 403 409 409"),
    Line("POST", "submissions/{theirs}/publish", "401 200 403 403 404 404"),
    Line("POST", "submissions/{published}/withdraw", "401 404 403 403 200 200"),
    Line("POST", "submissions/{theirs}/withdraw", "401 200 403 403 404 404"),
]  # fmt: skip


def clients(site: Site) -> dict[str, Client]:
    bob, of = site.cast.bob, "northwood"
    made = {name: client_with(token_of(bob, of, [name])) for name in ("read", "submit", "publish")}
    made |= {"nobody": Client(), "all": client_with(token_of(bob, of))}
    made["rival"] = client_with(token_of(site.cast.charlie, "fenland"))
    for client in made.values():
        client.raise_request_exception = False
    return made


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def route(path: str) -> str:
    """The path in the document that the path of a line is of."""
    words = path.partition("?")[0].split("/")
    for place, word in enumerate(words[1:], 1):
        if words[0] in ("submissions", "uploads") and place == 1:
            words[place] = "{public_id}"
        elif words[0] == "receipts" and place == 1:
            words[place] = "{digest}"
        elif words[0] in ("benchmarks", "entrants") and place == 1:
            words[place] = "{slug}"
        assert word
    return f"{ROOT}/{'/'.join(words)}"


def test_the_lines_name_every_operation() -> None:
    assert {(line.method, route(line.path)) for line in LINES} == {
        (method, path) for method, path, _operation in operations()
    }


def schema_problem(document: Any, line: Line, response: Any) -> str:
    """How an answer differs from the API's own document; "" if it does not."""
    operation = document["paths"][route(line.path)][line.method.lower()]
    answer = operation["responses"].get(str(response.status_code))
    if answer is None:
        return "an undocumented status"
    if not (content := answer.get("content")):
        return ""
    kind = response["Content-Type"].partition(";")[0]
    if kind not in content:
        return f"{kind} is undocumented"
    checks = Draft202012Validator(content[kind]["schema"] | {"components": document["components"]})
    return "; ".join(error.message for error in checks.iter_errors(response.json()))


def test_every_operation_answers_each_token_as_the_lines_say(site: Site) -> None:
    """By the schema, and shows nobody what is not theirs, in the answer or an error."""
    asking, answers, shown = clients(site), {}, []
    document, wrong = Client().get(f"{ROOT}/openapi.json").json(), []
    for line in LINES:
        path = line.path
        for name in ("published", "private", "judging", "unfinished", "theirs", "talk"):
            path = path.replace(f"{{{name}}}", getattr(site, name).public_id)
        for name in ("upload", "refused", "their_upload", "private_talk"):
            path = path.replace(f"{{{name}}}", getattr(site, name).public_id)
        for name in ("receipt", "unlisted_receipt"):
            path = path.replace(f"{{{name}}}", getattr(site, name).digest)
        statuses = []
        for who in WHO:
            client = asking[who]
            with undone():
                if line.method == "GET":
                    response = client.get(f"{ROOT}/{path}")
                else:
                    data = {} if line.body is None else line.body
                    kind = {} if path == "uploads" else {"content_type": "application/json"}
                    response = client.post(f"{ROOT}/{path}", data, **kind)
                text = body(response)
            statuses.append(str(response.status_code))
            if problem := schema_problem(document, line, response):
                wrong.append((line.method, line.path, who, response.status_code, problem))
            if response.status_code >= 400:
                assert response["Content-Type"] == "application/problem+json"
            role = ROLE.get(who, MEMBER)
            found = [mark for mark in SEEN_BY if mark in text and role not in SEEN_BY[mark]]
            shown += [(line.method, line.path, who, found)] if found else []
        answers[line.method, line.path] = " ".join(statuses)
    assert answers == {(line.method, line.path): line.statuses for line in LINES}
    assert (shown, wrong) == ([], [])


def test_a_rival_s_token_changes_nothing(site: Site) -> None:
    before, rival = rows(site), clients(site)["rival"]
    for name in ("published", "private", "judging", "unfinished"):
        for word in ("cancel", "publish", "withdraw"):
            rival.post(f"{ROOT}/submissions/{getattr(site, name).public_id}/{word}")
    for name in ("upload", "refused"):
        for word in ("submit", "discard"):
            path = f"{ROOT}/uploads/{getattr(site, name).public_id}/{word}"
            rival.post(path, {}, content_type="application/json")
    assert rows(site) == before


texts = st.one_of(st.text(max_size=20), st.sampled_from(["a\0", "a\ud800", "\u202e", "1e999"]))
values = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=20),
    st.sampled_from(["\0", "\ud800", "x" * 5000, "open", "larch", "rucodeeval", "base", "[]"]),
    st.lists(st.text(max_size=5), max_size=2),
)  # fmt: skip
FIELDS = (
    *("name", "organisation", "weights", "size_in_billions", "training_data_until", "link"),
    *("description", "confirmed", "benchmark", "setting", "entrant", "check", "file"),
)


@pytest.mark.postgresql
def test_no_body_breaks_an_operation(site: Site) -> None:
    client = clients(site)["all"]
    writes = [path for method, path, _operation in operations() if method == "POST"]

    @budget(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(writes))
        row = site.upload if "uploads" in path else site.private
        public_id = data.draw(st.sampled_from([row.public_id, "%00", "x", "%ff", str(row.pk)]))
        path = path.replace("{public_id}", public_id)
        sent = data.draw(st.dictionaries(st.sampled_from(FIELDS), values, max_size=5))
        if "entrants" in path:  # one that would be created otherwise
            sent = {"name": data.draw(texts), data.draw(st.sampled_from(FIELDS)): data.draw(texts)}
        key = data.draw(st.sampled_from([None, "", "k", "\xff" * 20, "x" * 300]))
        headers = {} if key is None else {"Idempotency-Key": key}
        with undone():
            if data.draw(st.booleans()):
                text = json.dumps(sent)
                response = client.post(path, text, content_type="application/json", headers=headers)
            else:
                form = {name: str(value).encode("utf-8", "replace") for name, value in sent.items()}
                response = client.post(path, form, headers=headers)
        assert response.status_code < 500, (path, sent, response.content)

    ask()
