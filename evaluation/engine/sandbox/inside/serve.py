"""Runner `serve`: the candidate's side of the stand-ins.

Loads the program as a script, then answers the judge: the values of names, and the results and
exceptions of calls. It never sees the tests. All its answers are the candidate's claims, since a
candidate can replace every piece of this process."""

import builtins
import inspect
import json
import types
import typing
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from . import annotations, frames, loading, plain, script


def _raised(error: BaseException) -> Any:
    if isinstance(error, BaseExceptionGroup):
        raise plain.NotPlain("an exception group")
    kinds = [k for k in type(error).__mro__ if getattr(builtins, k.__name__, None) is k]
    nearest = [k for k in kinds if not any(issubclass(o, k) and o is not k for o in kinds)]
    if len(nearest) > loading.MOST_BASES:
        raise plain.NotPlain("an exception of many builtin classes")
    try:
        arguments = plain.encode(error.args)
    except plain.NotPlain:
        arguments = None
    return {
        **loading.describe(error, 100_000),
        "bases": [k.__name__ for k in nearest],
        "args": arguments,
    }


class Server:
    """The loaded program, and the iterators, factories and objects that it has returned."""

    def __init__(self, module: types.ModuleType, reduced: bool = False) -> None:
        """With `reduced`, objects cross as plain data if they can."""
        self._names, self._reduced = module.__dict__, reduced
        self._remote: dict[int, Any] = {}

    def answer(self, request: "dict[str, Any]") -> Any:
        """The answer to one question. Raises plain.NotPlain."""
        if "names" in request:
            return {"names": {name: self._described(name, request) for name in request["names"]}}
        owner = self._remote.get(request["of"])
        decoder = plain.Decoder(remote=lambda _, number: self._remote[number])
        if "get" in request:
            return self._answer(decoder, lambda: getattr(owner, request["get"]))
        name = request["call"]
        with plain.without_limits():
            positional, named = decoder.decode(request["args"])
        if request["of"] is None:
            return self._answer(decoder, lambda: self._names[name](*positional, **named))
        method = inspect.getattr_static(type(owner), name)
        return self._answer(
            decoder, lambda: method.__get__(owner, type(owner))(*positional, **named)
        )

    def _described(self, name: str, request: "dict[str, Any]") -> Any:
        """The value of the name, as data; None if it is not bound. A class is a function where the
        tests expect one."""
        if name not in self._names:
            return None
        value = self._names[name]
        if isinstance(value, types.ModuleType):
            return {"module": value.__name__}
        if callable(value) and (name in request["functions"] or not isinstance(value, type)):
            return {"function": self._function(value, request["wants"])}
        return {"data": plain.encode(value)}

    def _function(self, value: Any, wants: "list[str]") -> Any:
        inner = inspect.unwrap(value)
        code = getattr(inner, "__code__", None)
        described: dict[str, Any] = {
            "line": getattr(code, "co_firstlineno", None),
            "name": getattr(value, "__name__", None),
            "doc": plain.encode(getattr(value, "__doc__", None)),
        }
        if "annotations" in wants:
            by_name = getattr(value, "__annotations__", {})
            described["annotations"] = [[k, annotations.encode(v)] for k, v in by_name.items()]
        if "hints" in wants:
            try:
                hints = typing.get_type_hints(value)
                described["hints"] = [[k, annotations.encode(v)] for k, v in hints.items()]
            except plain.NotPlain:
                raise
            except Exception as error:
                described["hints"] = _raised(error)
        if "signature" in wants:
            defaults = plain.Encoder(remote=self._remote)
            signature, empty = inspect.signature(value), inspect.Parameter.empty
            returns = signature.return_annotation
            parameters = [
                [
                    p.name,
                    int(p.kind),
                    p.default is not empty,
                    None if p.default is empty else defaults.encode(p.default),
                    None if p.annotation is empty else annotations.encode(p.annotation),
                ]
                for p in signature.parameters.values()
            ]
            returned = None if returns is empty else annotations.encode(returns)
            described["signature"] = [parameters, returned]
        return described

    def _answer(self, decoder: plain.Decoder, call: "Callable[[], Any]") -> "dict[str, Any]":
        """The result or exception of a call. Containers that the judge sent keep their numbers, so
        that it recognises them."""
        answer: dict[str, Any] = {}
        value = None
        try:
            value = call()
        except BaseException as error:
            self._remote[id(error)] = error
            answer["raised"] = {**_raised(error), "number": id(error)}
        encoder = plain.Encoder(decoder.objects, self._remote, self._reduced)
        with plain.without_limits():
            answer["value"] = encoder.encode([list(decoder.objects.values()), value])
        return answer


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    module, error = script.load_program(payload["program"])
    frames.write(channel_fd, frames.dump({"loaded": error is None, "error": error}))
    if error is None:
        # The judge leaves when it is done; the program did not cause this.
        with suppress(EOFError, ConnectionError, frames.BadFrame):
            server = Server(module, payload.get("reduced", False))
            while True:
                with plain.without_limits():
                    request = json.loads(frames.read(channel_fd))
                try:
                    answer = server.answer(request)
                except plain.NotPlain as reason:
                    answer = {"unplain": str(reason)}
                except RecursionError:
                    answer = {"unplain": "a value that is too deep"}
                with plain.without_limits():
                    frames.write(channel_fd, frames.dump(answer))
    loading.leave(report_fd, None)
