"""Checks which endpoints users without access to this machine's network may name (SSRF guard).

Allowed are public https addresses at port 443 and the operator's list. Makes no connections itself,
only DNS look-ups, which `endpoint` does at each request, and imports no HTTP client."""

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

_HTTPS_PORT = 443
_PORTS = {"http": 80, "https": _HTTPS_PORT}
_LOOK_UP_SECONDS = 30.0
# A host name as it is sent: labels separated by dots, without a final dot.
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+", re.ASCII)
# Resolvers read a name with such a last label as an IPv4 address: 2130706433, 0x7f.1, 0177.0.0.1.
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)", re.ASCII)

# IANA's registry of special-purpose addresses, and the addresses of clouds' own services.
_NOT_PUBLIC = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT, and a cloud's metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's own services
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# IPv6 global unicast. It excludes loopback, link-local and site-local addresses, and IPv4 in IPv6
# (::ffff:0:0/96, ::/96, 64:ff9b::/96).
_PUBLIC_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, including Teredo
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address inside
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)


class Forbidden(Exception):
    """The client may not connect to this address."""


class Origin(NamedTuple):
    """`listed`: the operator allows it explicitly."""

    scheme: str
    host: str
    port: int
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Allowed:
    """The operator's list: whole origins, and further ports of public hosts."""

    origins: frozenset[tuple[str, str, int]] = frozenset()
    ports: frozenset[int] = frozenset({_HTTPS_PORT})

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """Parses words like `http://127.0.0.1:8080` and `:8443`. Raises EndpointError."""
        ports, origins = {_HTTPS_PORT}, set()
        for word in words:
            if re.fullmatch(r":[0-9]{1,5}", word) and 0 < int(word[1:]) < 2**16:
                ports.add(int(word[1:]))
            else:
                try:
                    url = checked_url(word)
                except EndpointError:
                    url = ""
                if not url or urlsplit(url).path:
                    raise EndpointError(texts.ORIGIN_UNFIT(word=repr(word)))
                origins.add(_parts(url))
        return cls(frozenset(origins), frozenset(ports))


def checked_url(url: str) -> str:
    """The address without a trailing slash. Raises EndpointError if it is malformed or may hold a
    secret (user, password, query, fragment), because it is published."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        secret = parts.username or parts.password or parts.query or parts.fragment
        parts.port  # noqa: B018  # raises ValueError if it is no number
    except ValueError:
        whole, secret = False, None
    if not whole:
        raise EndpointError(texts.NO_ADDRESS())
    if secret:
        raise EndpointError(texts.SECRET_IN_ADDRESS())
    return url.rstrip("/")


def is_key(text: str) -> bool:
    """Whether a header can hold it: printable ASCII without blanks."""
    return all("!" <= sign <= "~" for sign in text)


def _parts(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    return parts.scheme, parts.hostname or "", port


def allowed_origin(url: str, allowed: Allowed) -> Origin:
    """Raises EndpointError if the address's text shows that it is not allowed: its host is an
    incomplete name or an IP address that is not public, say."""
    if not all("!" <= sign <= "~" and sign != "\\" for sign in url):
        raise EndpointError(texts.ODD_LETTERS())
    origin = _parts(checked_url(url))
    if origin in allowed.origins:
        return Origin(*origin, listed=True)
    scheme, host, port = origin
    if scheme != "https":
        raise EndpointError(texts.NO_HTTPS())
    if port not in allowed.ports:
        raise EndpointError(texts.PORT_FORBIDDEN(port=port))
    try:
        literal = ip_address(host)
    except ValueError:
        if not _NAME.fullmatch(host) or _NUMBER.fullmatch(host.rpartition(".")[2]):
            raise EndpointError(texts.HOST_NOT_PUBLIC()) from None
    else:
        if not is_public(literal):
            raise EndpointError(texts.ADDRESS_NOT_PUBLIC())
    return Origin(*origin)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    inside = address in _PUBLIC_6 and address.scope_id is None
    return inside and not any(address in network for network in _NOT_PUBLIC_6)


async def public_addresses(host: str, port: int) -> list[str]:
    """The name's IP addresses. Raises Forbidden unless all are public, OSError if this fails."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(_LOOK_UP_SECONDS):
        infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(info[4][0]) for info in infos))
    if not addresses or not all(is_public(ip_address(address)) for address in addresses):
        # The message omits the address, which would reveal this network.
        raise Forbidden(texts.NAME_NOT_PUBLIC())
    return addresses
