"""Tests of which endpoints strangers may use, by their address and by the addresses of their
name."""

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import EndpointError
from evaluation.engine.generation.guard import (
    Allowed,
    Forbidden,
    Origin,
    allowed_origin,
    is_public,
    public_addresses,
)

NOTHING_LISTED = Allowed.of([])

PRIVATE = (
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.9.9.9",
    "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192",
    "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.7", "203.0.113.7",
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "100::1", "2001::1", "2001:db8::1",
    "2002:7f00:1::", "2002:0808:0808::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254",
    "fe80::1", "fec0::1", "ff02::1",
)  # fmt: skip


@given(st.ip_addresses())
def test_nothing_is_public_that_the_library_knows_to_be_otherwise(
    address: IPv4Address | IPv6Address,
) -> None:
    if not address.is_global or address.is_multicast:
        assert not is_public(address)


@pytest.mark.parametrize("url", [
    "https://host.example/v1", "https://host.example:443", "https://HOST.example/v1/",
    "https://8.8.8.8/v1", "https://93.184.216.34/v1", "https://172.32.0.1/v1",
    "https://[2606:4700::1111]/v1", "https://[2a00:1450:4001:81b::200e]/v1",
    "https://xn--e1aybc.example/v1",
])  # fmt: skip
def test_a_public_https_address_may_be_asked(url: str) -> None:
    assert allowed_origin(url, NOTHING_LISTED).port == 443


@pytest.mark.parametrize(
    "url",
    [
        *(f"https://{one}/v1" for one in PRIVATE if ":" not in one),
        *(f"https://[{one}]/v1" for one in PRIVATE if ":" in one),
        "https://[fe80::1%25eth0]/v1",
        # Other ways to write 127.0.0.1, and a public address that looks like them.
        "https://2130706433/v1", "https://0x7f000001/v1", "https://0x7f.0.0.1/v1",
        "https://017700000001/v1", "https://0177.0.0.1/v1", "https://127.1/v1",
        "https://127.0.0.1./v1", "https://134744072/v1", "https://8.8.8.8./v1",
        "https://1.2.3.4.5/v1", "https://a.0x7f/v1",
        # Names that only a machine or its network knows, and names with too many dots.
        "https://localhost/v1", "https://localhost./v1", "https://redis/v1",
        "https://host.example./v1", "https://host..example/v1", "https://.example/v1",
        "https://-a.example/v1", "https://a%2eexample/v1",
        # Userinfo, backslashes, blanks, characters outside ASCII.
        "https://host.example@127.0.0.1/v1", "https://127.0.0.1#@host.example/v1",
        "https://127.0.0.1\\@host.example/v1", "https://host.example\\.evil.example/v1",
        "https://host.example\t/v1", "https://host.example/v1\n", " https://host.example/v1",
        "https://тест.example/v1", "https://127。0。0。1/v1", "https://ⓛocalhost.example/v1",
        # Ports and schemes.
        "https://host.example:8443/v1", "https://host.example:22/v1", "https://host.example:0/v1",
        "http://host.example/v1", "http://127.0.0.1:6379/v1", "ftp://host.example/v1",
        "file:///etc/passwd", "gopher://host.example/", "host.example/v1", "",
        "https://host.example/v1?key=1",
    ],
)  # fmt: skip
def test_another_address_may_not(url: str) -> None:
    with pytest.raises(EndpointError):
        allowed_origin(url, NOTHING_LISTED)


@given(st.text())
def test_whatever_is_written_is_an_origin_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://host.example{text}"):
        try:
            found = allowed_origin(url, NOTHING_LISTED)
        except EndpointError:
            continue
        assert (found.scheme, found.port, found.listed) == ("https", 443, False)
        assert "." in found.host or ":" in found.host


def test_what_the_operator_lists_may_be_asked_as_it_stands() -> None:
    allowed = Allowed.of(["http://127.0.0.1:8080", ":8443"])
    listed = allowed_origin("http://127.0.0.1:8080/v1", allowed)
    assert listed == Origin("http", "127.0.0.1", 8080, listed=True)
    assert not allowed_origin("https://host.example:8443/v1", allowed).listed
    for url in ("http://127.0.0.1:8081/v1", "https://127.0.0.1:8443/v1", "http://localhost:8080"):
        with pytest.raises(EndpointError):
            allowed_origin(url, allowed)


@pytest.mark.parametrize(
    "word", ["", "8443", ":0", ":65536", ":http", "127.0.0.1", "ftp://host", "http://host/v1", "*"]
)
def test_a_word_that_lists_nothing_is_named(word: str) -> None:
    with pytest.raises(EndpointError, match="neither an origin"):
        Allowed.of([word])


def looked_up(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """The result of `public_addresses` if the resolver returns these addresses."""

    def resolver(*_args: object, **_more: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    return asyncio.run(public_addresses("host.example", 443))


@pytest.mark.parametrize("address", [*PRIVATE, "fe80::1%eth0", "2606:4700::1%eth0"])
def test_a_name_that_stands_for_another_address_too_is_refused(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    for addresses in ([address], ["8.8.8.8", address], [address, "8.8.8.8"]):
        with pytest.raises(Forbidden) as caught:
            looked_up(monkeypatch, *addresses)
        assert address not in str(caught.value)


def test_a_name_that_stands_for_public_addresses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked_up(monkeypatch, "8.8.8.8", "8.8.8.8", "2606:4700::1") == [
        "8.8.8.8",
        "2606:4700::1",
    ]


def test_a_name_that_stands_for_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Forbidden):
        looked_up(monkeypatch)
