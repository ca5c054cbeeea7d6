"""Client of a chat endpoint with OpenAI's interface; no other module talks to one.

The key is sent in a header only. It is removed from error messages; an answer with it is refused.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, Self

import httpx2
import openai
from openai.types.chat import ChatCompletion

from evaluation.engine.generation import texts
from evaluation.engine.generation.answers import (
    Answer,
    Asked,
    Refused,
    Unanswered,
    is_temporary,
    retry_after,
)
from evaluation.engine.generation.connections import TooLong, bounded_client
from evaluation.engine.generation.guard import Forbidden, checked_url
from evaluation.engine.texts import said_by

# An upload's limit for a generation.
MOST_CHARACTERS = 2**20
# A shorter key may occur in an answer by chance: local servers accept words like "none".
_KEY_LENGTH = 16
_CONNECT_SECONDS = 30.0
_TOLD = 500
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


class _Client(openai.AsyncOpenAI):
    """Ignores the library's environment variables: they may be secrets of another endpoint."""

    def __init__(self, **how: Any) -> None:
        super().__init__(admin_api_key="", **how)
        self.organization = self.project = None
        self._custom_headers = {}


class Endpoint:
    """A model to ask, concurrently if needed. An asynchronous context manager. `client` replaces
    the HTTP client, whose requests follow no redirects, and is closed with the endpoint. A request
    that it ends with Forbidden is not retried."""

    def __init__(self, asked: Asked, client: httpx2.AsyncClient | None = None) -> None:
        self._asked = asked
        self._client = _Client(
            api_key=asked.key,
            base_url=checked_url(asked.url),
            _enforce_credentials=False,
            timeout=httpx2.Timeout(asked.seconds, connect=_CONNECT_SECONDS),
            max_retries=0,
            http_client=client or bounded_client(),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def answer(self, messages: Sequence[dict[str, str]]) -> Answer:
        """Raises Unanswered, Refused."""
        call: Any = self._client.chat.completions.create
        try:
            async with asyncio.timeout(self._asked.seconds):
                if self._asked.stream:
                    options = {"stream": True, "stream_options": {"include_usage": True}}
                    async with await call(**self._parameters(messages), **options) as chunks:
                        answer = await _streamed(chunks)
                else:
                    answer = _whole(await call(**self._parameters(messages)))
        except TimeoutError:
            raise Unanswered(texts.NO_WHOLE_ANSWER(seconds=f"{self._asked.seconds:g}")) from None
        except openai.APIStatusError as error:
            status = error.status_code
            reason = f"HTTP {status}: {self._one_line(error)}"
            out_of_quota = error.code == "insufficient_quota"
            if is_temporary(status) and not out_of_quota:
                raise Unanswered(reason, retry_after(error.response.headers)) from None
            everything = out_of_quota or status in (401, 402, 403, 404)
            raise Refused(reason, everything=everything) from None
        except Forbidden as error:
            raise Refused(said_by(error), everything=True) from None
        except openai.APIError as error:
            if isinstance(error.__cause__, Forbidden):  # the library wraps unknown errors
                raise Refused(said_by(error.__cause__), everything=True) from None
            raise Unanswered(self._one_line(error)) from None
        except (httpx2.HTTPError, httpx2.StreamError, TooLong) as error:
            raise Unanswered(self._one_line(error)) from None
        except _MALFORMED as error:
            # A response that does not follow the interface raises one of these.
            raise Unanswered(texts.MALFORMED_ANSWER(fault=self._one_line(error))) from None
        key = self._asked.key
        if len(key) >= _KEY_LENGTH and key in answer.text + answer.finish + answer.model:
            raise Refused(texts.KEY_IN_ANSWER(), everything=True)
        words = answer.text, answer.model
        text, model = (value.encode("utf-8", "replace").decode() for value in words)
        return replace(
            answer,
            text=text[:MOST_CHARACTERS],
            finish="length" if len(text) > MOST_CHARACTERS else answer.finish[:_TOLD],
            model=model[:_TOLD],
        )

    def _parameters(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        sampling = self._asked.sampling
        parameters: dict[str, Any] = {"model": self._asked.model, "messages": list(messages)}
        for name in ("temperature", "top_p", "max_tokens"):
            if (value := getattr(sampling, name)) is not None:
                parameters[name] = value
        if sampling.repetition_penalty is not None:
            parameters["extra_body"] = {"repetition_penalty": sampling.repetition_penalty}
        if not self._asked.key:
            # Without this the library requires a key.
            parameters["extra_headers"] = {"Authorization": openai.Omit()}
        return parameters

    def _one_line(self, error: Exception) -> str:
        cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else None
        text = " ".join(f"{error} {cause or ''}".split()) or type(error).__name__
        return (text.replace(self._asked.key, "[key]") if self._asked.key else text)[:_TOLD]


def _whole(completion: Any) -> Answer:
    """Raises ValueError if there is no answer."""
    if not isinstance(completion, ChatCompletion) or not completion.choices:
        raise ValueError("no completion")
    choice = completion.choices[0]
    text, finish = _text(choice.message.content), _text(choice.finish_reason)
    return Answer(text, finish, _text(completion.model), *_tokens(completion.usage))


async def _streamed(chunks: AsyncIterator[Any]) -> Answer:
    """Raises Unanswered if the stream ends without a finish reason."""
    parts: list[str] = []
    finish, model, usage, length = "", "", None, 0
    async for chunk in chunks:
        model = _text(chunk.model) or model
        usage = chunk.usage or usage
        for choice in (chunk.choices or [])[:1]:
            part = _text(choice.delta.content)
            length += len(part)
            parts.append(part if length <= 2 * MOST_CHARACTERS else "")
            finish = _text(choice.finish_reason) or finish
    if not finish:
        raise Unanswered(texts.ANSWER_CUT_OFF())
    return Answer("".join(parts), finish, model, *_tokens(usage))


def _text(value: Any) -> str:
    """Raises TypeError for anything but a text or None."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("another value was found where a string is expected")
    return value


def _tokens(usage: Any) -> tuple[int | None, int | None]:
    counts = (getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens"))
    sent, answered = (n if type(n) is int and n >= 0 else None for n in counts)
    return sent, answered
