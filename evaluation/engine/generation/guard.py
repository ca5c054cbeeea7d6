"""Which addresses may be asked for people who are strangers to this machine's network.

A public https address, at the port 443, or what the operator lists. What a name stands for is
looked at when it is connected to, by `pinned`; here is what can be said of it. No connections.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from evaluation.engine.errors import EndpointError
from evaluation.engine.generation import texts
from evaluation.engine.generation.addresses import Forbidden, checked_url

_HTTPS_PORT = 443
_PORTS = {"http": 80, "https": _HTTPS_PORT}
_LOOK_UP_SECONDS = 30.0
# The letters of a name as they are sent: dots between, none at the end.
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+", re.ASCII)
# Whoever resolves names takes these for IPv4 addresses: 2130706433, 0x7f.1, 0177.0.0.1.
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)", re.ASCII)

# IANA's registry of special-purpose addresses, and what clouds answer their machines at.
_NOT_PUBLIC = tuple(
    IPv4Network(each)
    for each in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carriers' own, and a cloud's metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's own services
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4's relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# Of IPv6 only this is the world's: no loopback, no link, no site, no IPv4 in another's clothes
# (::ffff:0:0/96, ::/96, 64:ff9b::/96).
_PUBLIC_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    IPv6Network(each)
    for each in (
        "2001::/23",  # protocols' own, Teredo among them
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address inside
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)


class Origin(NamedTuple):
    """Where an address leads. `listed` says that the operator vouches for it."""

    scheme: str
    host: str
    port: int
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Allowed:
    """What an operator lists: whole origins, and further ports of public hosts."""

    origins: frozenset[tuple[str, str, int]] = frozenset()
    ports: frozenset[int] = frozenset({_HTTPS_PORT})

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """Of words like `http://127.0.0.1:8080` and `:8443`. Raises EndpointError for another."""
        ports, origins = {_HTTPS_PORT}, set()
        for word in words:
            if re.fullmatch(r":[0-9]{1,5}", word) and 0 < int(word[1:]) < 2**16:
                ports.add(int(word[1:]))
            else:
                origins.add(_listed(word))
        return cls(frozenset(origins), frozenset(ports))


def _listed(word: str) -> tuple[str, str, int]:
    try:
        url = checked_url(word)
    except EndpointError:
        url = ""
    if not url or urlsplit(url).path:
        raise EndpointError(texts.ORIGIN_UNFIT(word=repr(word)))
    return _parts(url)


def _parts(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    return parts.scheme, parts.hostname or "", port


def allowed_origin(url: str, allowed: Allowed) -> Origin:
    """Where the address leads. Raises EndpointError where it may not be asked, as far as its
    text tells."""
    if not all("!" <= sign <= "~" and sign != "\\" for sign in url):
        raise EndpointError(texts.ODD_LETTERS())
    found = _parts(checked_url(url))
    if found in allowed.origins:
        return Origin(*found, listed=True)
    scheme, host, port = found
    if scheme != "https":
        raise EndpointError(texts.NO_HTTPS())
    if port not in allowed.ports:
        raise EndpointError(texts.PORT_FORBIDDEN(port=port))
    _require_public_name(host)
    return Origin(*found)


def _require_public_name(host: str) -> None:
    """Raises EndpointError for what is no full name, or an address that is not the world's."""
    try:
        literal = ip_address(host)
    except ValueError:
        literal = None
    if literal is not None:
        if not is_public(literal):
            raise EndpointError(texts.ADDRESS_NOT_PUBLIC())
    elif not _NAME.fullmatch(host) or _NUMBER.fullmatch(host.rpartition(".")[2]):
        raise EndpointError(texts.HOST_NOT_PUBLIC())


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether it is anybody's in the world, rather than this machine's, its network's, its
    cloud's, a group's, or nobody's."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    inside = address in _PUBLIC_6 and address.scope_id is None
    return inside and not any(address in network for network in _NOT_PUBLIC_6)


async def public_addresses(host: str, port: int) -> list[str]:
    """What the name stands for now. Raises Forbidden unless all of it is public; OSError where
    it stands for nothing."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(_LOOK_UP_SECONDS):
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not addresses or not all(is_public(ip_address(each)) for each in addresses):
        # Which it is would tell a stranger about this network.
        raise Forbidden(texts.NAME_NOT_PUBLIC())
    return addresses
