"""Tests of requests to an endpoint, and of telling its different faults apart."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from evaluation.engine.errors import EndpointError
from evaluation.engine.family import Sampling
from evaluation.engine.generation import endpoint as module
from evaluation.engine.generation import guard
from evaluation.engine.generation.answers import Answer, Asked, Refused, Unanswered
from evaluation.engine.generation.connections import MOST_BYTES, pinned_client
from evaluation.engine.generation.endpoint import Endpoint
from evaluation.engine.generation.guard import Allowed, Origin, allowed_origin, checked_url
from tests.support.certificates import certified
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
    "mishap", ["429", "503", "cut", "malformed", "page", "empty", "packed", "nested"]
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
    scripted.answer = lambda _: "x" * (MOST_BYTES + 5)
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


HOST, PUBLIC, PRIVATE = "model.example", "127.0.0.2", "127.0.0.1"


class Wire:
    """A server at the address that stands for a public one, a trap at the same port of the
    loopback, and a resolver that returns the answers in `names` one after the other."""

    def __init__(self, open_: Scripted, trap: Scripted) -> None:
        self.open, self.trap = open_, trap
        self.port = urlsplit(open_.url).port or 0
        self.names: list[list[str]] = [[PUBLIC]]
        self.looked_up: list[str] = []
        self.allowed = Allowed.of([f":{self.port}"])
        self._really = socket.getaddrinfo

    def resolve(self, host: Any, port: Any, *_args: Any, **_more: Any) -> Any:
        if host in (PUBLIC, PRIVATE):
            raise AssertionError("an address is looked up as if it were a name")
        self.looked_up.append(host)
        found = self.names.pop(0) if len(self.names) > 1 else self.names[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    def origin(self, host: str = HOST) -> Origin:
        return allowed_origin(f"https://{host}:{self.port}/v1", self.allowed)

    def ask(self, times: int = 1, host: str = HOST, url_host: str = "") -> list[Answer]:
        asked = Asked(f"https://{url_host or host}:{self.port}/v1", "m", Sampling(), False, 5.0)

        async def talk() -> list[Answer]:
            async with Endpoint(asked, pinned_client(self.origin(host))) as model:
                return [await model.answer(HELLO) for _ in range(times)]

        return asyncio.run(talk())


@pytest.fixture
def wire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    context, trusted = certified(tmp_path, HOST)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    strict = guard.is_public
    monkeypatch.setattr(guard, "is_public", lambda one: str(one) == PUBLIC or strict(one))
    with ExitStack() as stack:
        open_ = serving(Scripted(lambda _: "open"), host=PUBLIC, encrypted=context)
        served = stack.enter_context(open_)
        port = urlsplit(served.url).port or 0
        trap = serving(Scripted(lambda _: "trap"), host=PRIVATE, port=port, encrypted=context)
        found = Wire(served, stack.enter_context(trap))
        monkeypatch.setattr(socket, "getaddrinfo", found.resolve)
        yield found


def test_a_public_address_is_asked_by_its_name_and_told_no_more(wire: Wire) -> None:
    assert [one.text for one in wire.ask(2)] == ["open", "open"]
    assert set(wire.looked_up) == {HOST}
    for request in wire.open.requests:
        assert request.headers["Host"] == f"{HOST}:{wire.port}"
        assert not [name for name in request.headers if name.lower().startswith("x-")]


def test_a_name_that_changes_its_address_after_the_check_changes_nothing(wire: Wire) -> None:
    wire.names = [[PUBLIC], [PRIVATE]]
    assert wire.ask()[0].text == "open"
    assert (wire.looked_up, wire.trap.requests) == ([HOST], [])


def test_a_name_that_has_become_private_is_refused_for_good(wire: Wire) -> None:
    wire.names = [[PUBLIC], [PRIVATE]]
    with pytest.raises(Refused, match="not public") as caught:
        wire.ask(2)
    assert caught.value.everything
    assert (len(wire.open.requests), wire.trap.requests) == (1, [])


@pytest.mark.parametrize("found", [[PRIVATE], [PUBLIC, PRIVATE], ["::ffff:127.0.0.1"]])
def test_a_name_that_stands_for_a_private_address_is_not_connected_to(
    wire: Wire, found: list[str]
) -> None:
    wire.names = [found]
    with pytest.raises(Refused, match="not public"):
        wire.ask()
    assert wire.open.requests + wire.trap.requests == []


def test_a_certificate_of_another_name_is_not_taken(wire: Wire) -> None:
    with pytest.raises(Unanswered, match="certificate"):
        wire.ask(host="other.example")
    assert wire.open.requests == []


def test_of_several_addresses_the_next_is_tried(wire: Wire, monkeypatch: Any) -> None:
    silent = "127.0.0.3"
    also: Callable[[Any], bool] = guard.is_public
    monkeypatch.setattr(guard, "is_public", lambda one: str(one) == silent or also(one))
    wire.names = [[silent, PUBLIC]]
    assert wire.ask()[0].text == "open"


def test_a_request_that_leads_elsewhere_is_not_sent(wire: Wire) -> None:
    with pytest.raises(Refused, match="was redirected to another host"):
        wire.ask(url_host="elsewhere.example")
    assert wire.looked_up == []


def test_proxies_of_the_environment_are_not_used(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{PRIVATE}:{wire.port}")
    assert wire.ask()[0].text == "open"
    assert wire.trap.requests == []


def test_a_name_that_nobody_knows_may_be_known_later(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_args: object, **_more: object) -> Any:
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Unanswered, match="does not resolve"):
        wire.ask()


def test_what_the_operator_lists_is_asked_where_it_is(tmp_path: Path) -> None:
    with serving(Scripted(lambda _: "local")) as scripted:
        origin = allowed_origin(scripted.url, Allowed.of([scripted.url.removesuffix("/v1")]))

        async def ask() -> Answer:
            asked = Asked(scripted.url, "m", Sampling())
            async with Endpoint(asked, pinned_client(origin)) as model:
                return await model.answer(HELLO)

        assert asyncio.run(ask()).text == "local"
