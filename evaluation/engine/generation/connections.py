"""HTTP clients that reach only public addresses and the operator's list, for models' endpoints and
for webhooks.

For users without access to this machine's network, each request resolves the name once, checks the
addresses, and connects to one of them, so that DNS rebinding has no effect. TLS still verifies the
name. Proxies of the environment are ignored."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from evaluation.engine.generation import texts
from evaluation.engine.generation.guard import Forbidden, Origin, public_addresses

# An upload's limit for a record.
MOST_BYTES = 16 * 2**20
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
# Maximum addresses of a name to try.
_TRIED = 3
_HEADERS = frozenset(
    b"accept accept-encoding authorization connection content-length content-type host "
    b"transfer-encoding user-agent webhook-id webhook-signature webhook-timestamp".split()
)


class TooLong(Exception):
    """A response over the size limit, or compressed, so of unknown size."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, packed: bool) -> None:
        self._inner, self._packed = inner, packed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._packed:
            raise TooLong("a packed response, which was not asked for")
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > MOST_BYTES:
                raise TooLong(f"a response of more than {MOST_BYTES:,} bytes")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _bound(response: httpx2.Response) -> None:
    """Limits what is read of a response to MOST_BYTES, and to nothing of a compressed one: it may
    unpack to any size."""
    packed = response.headers.get("Content-Encoding", "identity").strip().lower() != "identity"
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, packed)


def bounded_client(**options: Any) -> httpx2.AsyncClient:
    """A client that follows no redirects and reads no response of more than MOST_BYTES."""
    return httpx2.AsyncClient(
        # Excludes decompression bombs.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_bound]},
        limits=_LIMITS,
        follow_redirects=False,
        timeout=None,
        **options,
    )


class _Pinned(httpx2.AsyncBaseTransport):
    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        # Reads the machine's certificates (SSL_CERT_FILE); the client configures proxies.
        self._inner = httpx2.AsyncHTTPTransport(limits=_LIMITS)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises Forbidden for another origin or a name that is not public; httpx2's errors."""
        url, origin = request.url, self._origin
        port = url.port or {"http": 80, "https": 443}.get(url.scheme)
        if (url.scheme, url.host, port) != (origin.scheme, origin.host, origin.port):
            raise Forbidden(texts.OTHER_HOST())
        if origin.listed:
            return await self._inner.handle_async_request(_to(request, origin.host))
        try:
            addresses = await public_addresses(origin.host, origin.port)
        except OSError as error:  # includes TimeoutError
            raise httpx2.ConnectError(f"the name does not resolve: {error}") from error
        *others, last = addresses[:_TRIED]
        for address in others:
            try:
                return await self._inner.handle_async_request(_to(request, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._inner.handle_async_request(_to(request, last))

    async def aclose(self) -> None:
        await self._inner.aclose()


def _to(request: httpx2.Request, address: str) -> httpx2.Request:
    """The same request to an IP address, with the name's certificate and Host header. Only known
    headers are kept, because the client adds some from this machine's environment."""
    headers = [(name, value) for name, value in request.headers.raw if name.lower() in _HEADERS]
    extensions: dict[str, Any] = {**request.extensions, "sni_hostname": request.url.host}
    url = request.url.copy_with(host=address)
    return httpx2.Request(
        request.method, url, headers=headers, stream=request.stream, extensions=extensions
    )


def pinned_client(origin: Origin) -> httpx2.AsyncClient:
    return bounded_client(transport=_Pinned(origin), trust_env=False)
