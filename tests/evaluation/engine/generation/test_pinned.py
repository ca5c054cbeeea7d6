"""Tests that connections go only to the address that was checked, with the name's certificate.

The resolver is scripted; sockets and certificates are real. 127.0.0.2 stands for a public address.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from evaluation.engine.family import Sampling
from evaluation.engine.generation import guard
from evaluation.engine.generation.answers import Answer, Asked
from evaluation.engine.generation.endpoint import Endpoint
from evaluation.engine.generation.guard import Allowed, Origin, allowed_origin
from evaluation.engine.generation.pinned import pinned_client
from evaluation.engine.generation.retrying import Refused, Unanswered
from tests.support.certificates import certified
from tests.support.endpoint import Endpoint as Scripted
from tests.support.endpoint import serving

HOST, PUBLIC, PRIVATE = "model.example", "127.0.0.2", "127.0.0.1"
HELLO = [{"role": "user", "content": "hello"}]


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


def test_a_public_address_is_asked_by_its_name(wire: Wire) -> None:
    assert [one.text for one in wire.ask(2)] == ["open", "open"]
    assert set(wire.looked_up) == {HOST}


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


def test_what_the_environment_has_for_the_client_is_not_told(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "the-operators")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Own: the-operators")
    wire.ask()
    (request,) = wire.open.requests
    assert "the-operators" not in str(request.headers)
    assert request.headers["Host"] == f"{HOST}:{wire.port}"
    assert not [name for name in request.headers if name.lower().startswith("x-")]


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
