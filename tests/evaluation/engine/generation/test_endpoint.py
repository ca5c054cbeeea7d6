"""Tests of requests to an endpoint, and of telling its different faults apart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from evaluation.engine.errors import EndpointError
from evaluation.engine.family import Sampling
from evaluation.engine.generation import endpoint as module
from evaluation.engine.generation.answers import Answer, Asked
from evaluation.engine.generation.endpoint import Endpoint
from evaluation.engine.generation.guard import checked_url
from evaluation.engine.generation.retrying import Refused, Unanswered
from tests.support.endpoint import Endpoint as Scripted
from tests.support.endpoint import serving

KEY = "sk-scripted-0123456789abcdef"
HELLO = [{"role": "user", "content": "hello"}]

both = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    with serving(Scripted(lambda _: "def f(): pass")) as endpoint:
        yield endpoint


def asked(scripted: Scripted, *, stream: bool = False, key: str = KEY, **sampling: float) -> Answer:
    how = Asked(scripted.url, "m", Sampling(**sampling), stream, 1.0, key)  # type: ignore[arg-type]

    async def ask() -> Answer:
        async with Endpoint(how) as model:
            return await model.answer(HELLO)

    return asyncio.run(ask())


@both
def test_the_answer_comes_with_its_tokens(scripted: Scripted, stream: bool) -> None:
    assert asked(scripted, stream=stream) == Answer("def f(): pass", "stop", "canned-1", 7, 3)


def test_parameters_are_sent_and_what_is_left_out_is_not(scripted: Scripted) -> None:
    asked(scripted, temperature=0.7, top_p=0.8, repetition_penalty=1.05)
    assert scripted.requests[0].body == {
        "model": "m", "messages": HELLO, "temperature": 0.7, "top_p": 0.8,
        "repetition_penalty": 1.05,
    }  # fmt: skip


def test_what_the_environment_has_for_other_programs_is_not_sent(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "of-somebody-else")
    headers = "X-Gateway-Key: of-somebody-else\nAuthorization: Bearer of-somebody-else"
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", headers)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    asked(scripted)
    asked(scripted, key="")
    sent = [request.headers for request in scripted.requests]
    assert not any("of-somebody-else" in value for one in sent for value in one.values())
    assert [request.key for request in scripted.requests] == [KEY, ""]


@both
@pytest.mark.parametrize(
    "mishap", ["429", "500", "503", "cut", "malformed", "page", "empty", "packed", "nested"]
)
def test_what_may_go_better_next_time(scripted: Scripted, mishap: str, stream: bool) -> None:
    scripted.mishap = lambda _: mishap
    with pytest.raises(Unanswered) as caught:
        asked(scripted, stream=stream)
    assert caught.value.after == (0.05 if mishap.isdigit() else None)


@both
def test_an_answer_has_to_come_in_time(scripted: Scripted, stream: bool) -> None:
    scripted.mishap = lambda _: "slow"
    with pytest.raises(Unanswered, match="no complete answer within 1 s"):
        asked(scripted, stream=stream)


@pytest.mark.parametrize(
    ("mishap", "everything"), [("400", False), ("401", True), ("404", True), ("redirect", False)]
)
def test_what_is_refused_for_good(scripted: Scripted, mishap: str, everything: bool) -> None:
    scripted.mishap = lambda _: mishap
    with pytest.raises(Refused) as caught:
        asked(scripted)
    assert caught.value.everything is everything
    assert len(scripted.requests) == 1


def test_what_an_endpoint_says_is_told_without_the_key(scripted: Scripted) -> None:
    scripted.mishap = lambda _: "401"
    with pytest.raises(Refused, match=r"no luck with \[key\]") as caught:
        asked(scripted)
    assert KEY not in str(caught.value)
    assert caught.value.__suppress_context__


@both
def test_an_answer_with_the_key_in_it_is_not_taken(scripted: Scripted, stream: bool) -> None:
    scripted.answer = lambda _: f"print('{KEY}')"
    with pytest.raises(Refused, match="contains the endpoint's key"):
        asked(scripted, stream=stream)


def test_a_word_that_local_servers_take_for_a_key_may_stand_in_answers(scripted: Scripted) -> None:
    scripted.answer = lambda _: "EMPTY = ()"
    assert asked(scripted, key="EMPTY").text == "EMPTY = ()"


def test_half_a_character_is_replaced(scripted: Scripted) -> None:
    scripted.answer = lambda _: "'\ud800'"
    assert asked(scripted).text == "'?'"


@both
def test_an_answer_is_no_longer_than_an_upload_takes(scripted: Scripted, stream: bool) -> None:
    scripted.answer = lambda _: "x" * (module.MOST_CHARACTERS + 5)
    found = asked(scripted, stream=stream)
    assert (len(found.text), found.cut_off) == (module.MOST_CHARACTERS, True)


@both
def test_a_response_that_does_not_end_is_given_up(scripted: Scripted, stream: bool) -> None:
    scripted.answer = lambda _: "x" * (module.MOST_BYTES + 5)
    with pytest.raises(Unanswered):
        asked(scripted, stream=stream)


@pytest.mark.parametrize(
    "url", ["", "host/v1", "ftp://host/v1", "http://", "http://host:port/", "file:///etc/passwd"]
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(EndpointError, match="is not an address"):
        checked_url(url)


@pytest.mark.parametrize("url", ["https://me:secret@host/v1", "https://host/v1?key=1"])
def test_an_address_holds_no_secret(url: str) -> None:
    with pytest.raises(EndpointError, match="not contain a name, password or query"):
        checked_url(url)


def test_how_an_endpoint_is_asked_does_not_tell_the_key() -> None:
    assert KEY not in repr(Asked("http://host", "m", Sampling(), key=KEY))
