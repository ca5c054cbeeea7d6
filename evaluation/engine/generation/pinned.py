"""A way out into the network that leads to public addresses alone.

For each request the name is looked up once, what it stands for is checked, and the connection is
made to that very address: a name that stands for something else a moment later changes nothing.
The certificate is still asked for by name. No proxy of the environment's is used.
"""

from __future__ import annotations

from typing import Any

import httpx2

from evaluation.engine.generation import texts
from evaluation.engine.generation.addresses import Forbidden
from evaluation.engine.generation.endpoint import bounded
from evaluation.engine.generation.guard import Origin, public_addresses

_CONNECTIONS = 100
# Of many addresses of a name, those that are tried.
_TRIED = 3
_HEADERS = frozenset(
    name.encode()
    for name in (
        *("accept", "accept-encoding", "authorization", "connection", "content-length"),
        *("content-type", "host", "transfer-encoding", "user-agent"),
    )
)


class _Pinned(httpx2.AsyncBaseTransport):
    """Sends to `origin` and nowhere else."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=_CONNECTIONS)
        # Certificates may be the machine's own (SSL_CERT_FILE); proxies are the client's matter.
        self._inner = httpx2.AsyncHTTPTransport(limits=limits)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises Forbidden, and whatever the network does."""
        url, origin = request.url, self._origin
        port = url.port or {"http": 80, "https": 443}.get(url.scheme)
        if (url.scheme, url.host, port) != (origin.scheme, origin.host, origin.port):
            raise Forbidden(texts.OTHER_HOST())
        if origin.listed:
            return await self._inner.handle_async_request(_to(request, origin.host))
        try:
            addresses = await public_addresses(origin.host, origin.port)
        except OSError as error:  # a look-up that takes too long is one too
            raise httpx2.ConnectError(f"the name stands for nothing: {error}") from error
        return await self._sent(request, addresses[:_TRIED])

    async def _sent(self, request: httpx2.Request, addresses: list[str]) -> httpx2.Response:
        *others, last = addresses
        for address in others:
            try:
                return await self._inner.handle_async_request(_to(request, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._inner.handle_async_request(_to(request, last))

    async def aclose(self) -> None:
        await self._inner.aclose()


def _to(request: httpx2.Request, address: str) -> httpx2.Request:
    """The same request to an address, by the name's certificate and host header, and with the
    headers that it needs: the client adds what it finds in this machine's environment."""
    headers = [(name, value) for name, value in request.headers.raw if name.lower() in _HEADERS]
    extensions: dict[str, Any] = {**request.extensions, "sni_hostname": request.url.host}
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=headers,
        stream=request.stream,
        extensions=extensions,
    )


def pinned_client(origin: Origin) -> httpx2.AsyncClient:
    """To be given to an `Endpoint`."""
    return httpx2.AsyncClient(
        transport=_Pinned(origin),
        trust_env=False,
        # What is not packed cannot be a bomb.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bounded]},
        follow_redirects=False,
        timeout=None,
    )
