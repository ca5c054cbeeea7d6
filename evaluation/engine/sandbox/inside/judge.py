"""Runner `judge`: tests run here, and no candidate code ever does.

The module that the tests see holds stand-ins for the candidate's functions. Each call crosses to
the candidate's process as plain data and back; arguments changed in place change here too;
exceptions are raised anew by name and text. Where something is not plain data the run ends with
{"fallback": why}, and is judged in one process. Source text for `inspect` comes from the uploaded
program, not from the candidate."""

import ast
import builtins
import inspect
import json
import sys
import types
import typing
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from . import annotations, frames, loading, plain, script, text, twins

PATH = "/judge/program.py"
_NO_ANSWER = (OSError, EOFError, ValueError, RecursionError, frames.BadFrame)


class Judge:
    """One run: the connection to the candidate, and the way to end."""

    def __init__(self, report_fd: int, channel_fd: int) -> None:
        self._report = report_fd
        self._channel = channel_fd
        self.names_stop = False
        # The lengths of the candidate's objects, by number.
        self._lengths: dict[int, Any] = {}

    def leave(self, **report: Any) -> NoReturn:
        """Ends this process with the report; no `except` of the tests can catch it."""
        loading.leave(self._report, report)
        raise AssertionError("unreachable")

    def failed(self, error: BaseException, looks_further: bool) -> NoReturn:
        """Ends the run for an error of the tests. It may have come only because the program's own
        objects and types are less here: a list in an attribute that the tests change stays as it is
        in the candidate's process, and a class from an annotation has no instances. No RuntimeError
        comes from that: `call` raises one in place of a StopIteration."""
        facts = {"ended": False, "loaded": True, "error": script.error_facts(error, PATH)}
        # The tests may know the class of an exception better than the stand-ins do.
        facts["looks_further"] = looks_further or type(error).__module__ != "builtins"
        if not isinstance(error, RuntimeError) and (twins.are_made() or annotations.have_own()):
            facts["fallback"] = "the tests failed with an object or a type that it defines"
        self.leave(**facts)

    def ask(self, request: Any) -> Any:
        """The candidate's answer. Without an answer the run ends."""
        try:
            with plain.without_limits():
                frames.write(self._channel, frames.dump(request))
                answer = json.loads(frames.read(self._channel))
        except _NO_ANSWER as error:
            self.leave(ended=False, error={"type": "Gone", "text": str(error)})
        if type(answer) is not dict:
            self.leave(ended=False, error={"type": "Gone", "text": "no answer to the question"})
        if "unplain" in answer:
            self.leave(fallback=str(answer["unplain"])[:200])
        return answer

    def loaded(self) -> None:
        """Waits until the candidate has loaded its program."""
        try:
            answer = json.loads(frames.read(self._channel))
        except _NO_ANSWER as error:
            self.leave(ended=False, loaded=False, error={"type": "Gone", "text": str(error)})
        raised = answer.get("error") if type(answer) is dict else {"type": "Gone"}
        if raised is not None:
            self.leave(ended=False, loaded=False, error=raised)

    def call(
        self,
        name: str,
        positional: "tuple[Any, ...]" = (),
        named: "dict[str, Any] | None" = None,
        of: "int | None" = None,
    ) -> Any:
        """Calls the candidate's function, or a method `of` the object with this number; returns or
        raises as it does. StopIteration becomes a RuntimeError, as in generators (PEP 479), unless
        the tests name it: to their `map` or `iter` it would be the end, and what they assert of
        further items would not run."""
        encoder = plain.Encoder()
        try:
            with plain.without_limits():
                arguments = encoder.encode([positional, named or {}])
        except plain.NotPlain as reason:
            self.leave(fallback=f"an argument: {reason}")
        return self._answer({"of": of, "call": name, "args": arguments}, encoder.objects)

    def _answer(self, request: Any, containers: "dict[int, Any]") -> Any:
        answer = self.ask(request)
        try:
            with plain.without_limits():
                _, value = plain.Decoder(containers, self.remote).decode(answer["value"])
            raised = exception(answer["raised"], self._attribute) if "raised" in answer else None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            self.leave(ended=False, error={"type": "Gone", "text": f"a malformed answer: {error}"})
        ends = self.names_stop or request.get("call") == "__next__"
        if isinstance(raised, StopIteration) and not ends:
            raise RuntimeError("a function raised StopIteration") from raised
        if raised is not None:
            raise raised
        return value

    def remote(self, tag: str, *described: Any) -> Any:
        """The stand-in for a value that stays in the candidate's process, for plain.Decoder."""
        if tag == "own":
            return self._own(*described)
        (number,) = described
        if tag == "it":
            return self._items(number)
        return plain.Factory(number, partial(self.call, "__call__", of=number))

    def _items(self, number: int) -> "Iterator[Any]":
        """Replaces an iterator of the candidate: each item is requested when it is needed."""
        while True:
            try:
                item = self.call("__next__", of=number)
            except StopIteration:
                return
            yield item

    def _own(self, kind: str, twin: Any, name: str) -> Any:
        """A member of an object's class, from the candidate's process. Ends the run for a member
        that twins.py does not name."""
        if name in twins.COMPARED and twin is not None:
            return partial(self._compared, kind, twin, name)
        number = None if twin is None else twins.number(twin)
        if number is None or (name.startswith("__") and name not in twins.ASKED):
            self._used(kind)
        if name == "__getattr__":
            return partial(self._attribute, number)
        if name not in twins.ASKED:
            return self._attribute(number, name)

        def asked(*positional: Any, **named: Any) -> Any:
            return self.call(name, positional, named, number)

        return partial(self._sized, twin, number, name, asked) if twins.is_sized(twin) else asked

    def _used(self, kind: str) -> NoReturn:
        """Ends the run, because the tests use what a class of the candidate's defines."""
        self.leave(fallback=f"what {kind} defines"[:200])

    def _compared(self, kind: str, twin: Any, name: str, other: Any) -> bool:
        if not twins.holds(twin, name, other):
            self._used(kind)
        return name != "__ne__"

    def _sized(
        self, twin: Any, number: int, name: str, asked: Any, *arguments: Any, **named: Any
    ) -> Any:
        """The answer of an object with a length, which an empty one must not hide from the tests
        that look at each item."""
        try:
            answer = asked(*arguments, **named)
        except IndexError:
            index = arguments[0] if name == "__getitem__" else None
            self._agreed(type(index) is not int or not -len(twin) <= index < len(twin))
            raise
        if name == "__len__":
            base = type(twin).__mro__[1]
            length = base.__len__(twin) if hasattr(base, "__len__") else answer
            self._agreed(self._lengths.setdefault(number, length) == answer)
        if name == "__bool__":
            self._agreed(answer is (len(twin) > 0))
        if name not in ("__iter__", "__reversed__"):
            return answer
        return self._counted(self._items(number) if answer is twin else answer, len(twin))

    def _counted(self, items: Any, length: int) -> "Iterator[Any]":
        count = 0
        for item in items:
            count += 1
            yield item
        self._agreed(count == length)

    def _agreed(self, agreed: bool) -> None:
        if not agreed:
            self.leave(fallback="an object of another length than its items")

    def _attribute(self, number: Any, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._answer({"of": number, "get": name}, {})
        if callable(value):
            # The tests may call it like a method, with what they expect.
            self.leave(fallback=f"the method {name}")
        return value


def exception(described: "dict[str, Any]", attribute: Any = None) -> BaseException:
    """An exception of builtin classes, with the text and name of the candidate's exception.
    attribute(number, name) asks for what its class adds. Raises ValueError or TypeError without a
    valid description: a class with many bases would pass any `except`."""
    bases, said, name = described["bases"], str(described["text"]), str(described["type"])
    if type(bases) is not list or not 0 < len(bases) <= loading.MOST_BASES:
        raise ValueError("not the bases of an exception")
    kinds: tuple[Any, ...] = tuple(getattr(builtins, str(base), None) for base in bases)
    for kind in kinds:
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise ValueError("not an exception")
        if issubclass(kind, BaseExceptionGroup):
            raise ValueError("an exception group")
    arguments = plain.decode(described["args"])
    if bases == [name]:
        # UnicodeDecodeError and others take different arguments.
        with suppress(Exception):
            error: BaseException = kinds[0](*arguments)
            if str(error) == said:
                return error
    space: dict[str, Any] = {"__str__": lambda _: said}
    if attribute is not None:
        space["__getattr__"] = partial(attribute, described["number"])
    subclass: type[BaseException] = type(name, kinds, space)
    made = subclass.__new__(subclass)
    made.args = arguments if type(arguments) is tuple else (said,)
    return made


def stand_in(judge: Judge, name: str, described: "dict[str, Any]", program: ast.Module) -> Any:
    """A function with the candidate's signature that asks the candidate when it is called."""

    def call(*positional: Any, **named: Any) -> Any:
        return judge.call(name, positional, named)

    line = text.definition_line(program, name)
    if line is None:
        line = described.get("line")
    if type(line) is not int or not 0 < line < 10**6:
        line = 1
    code = call.__code__.replace(
        co_filename=PATH, co_firstlineno=line, co_name=name, co_qualname=name
    )
    # The globals hold no name of the candidate's, so nothing evaluated here finds one.
    function = types.FunctionType(
        code, {"__builtins__": builtins, "__name__": "__main__"}, name, None, call.__closure__
    )
    function.__module__ = "__main__"
    doc = plain.decode(described.get("doc"))
    function.__doc__ = doc if isinstance(doc, str) else None
    function.__annotations__ = _annotations(described.get("annotations", []))
    if "signature" in described:
        signature = _signature(described["signature"], judge)
        function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _annotations(pairs: Any) -> "dict[str, Any]":
    return {str(name): annotations.decode(tree) for name, tree in pairs}


def _signature(described: Any, judge: Judge) -> inspect.Signature:
    empty = inspect.Parameter.empty
    parameters, returns = described
    defaults = plain.Decoder(remote=judge.remote)
    return inspect.Signature(
        [
            inspect.Parameter(
                str(name),
                inspect._ParameterKind(kind),
                default=defaults.decode(default) if has_default else empty,
                annotation=empty if annotation is None else annotations.decode(annotation),
            )
            for name, kind, has_default, default, annotation in parameters
        ],
        return_annotation=empty if returns is None else annotations.decode(returns),
    )


def _parse(judge: Judge, program: str, tests: str) -> "tuple[ast.Module, ast.Module]":
    """Parses both parts. The tests keep the line numbers of the joined file."""
    try:
        script.write_program(PATH, f"{program}\n{tests}")
        # As bytes, like a file: byte order marks and coding lines count.
        joined = ast.parse(f"{program}\n{tests}".encode(), PATH)
        alone = ast.parse(program.encode(), PATH)
        rest = ast.parse(tests.encode(), PATH)
        # A long chain of branches is a deep tree.
        sys.setrecursionlimit(50_000)
        same = _seamless(joined, alone, rest)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        judge.leave(ended=False, loaded=False, error=loading.uncompiled(error))
    finally:
        sys.setrecursionlimit(1000)
    if not same:
        # The program's text swallows the tests, or the tests complete the program.
        seam = SyntaxError("the program does not end where the tests begin")
        seam.lineno = program.count("\n") + 2  # beyond the program
        judge.leave(ended=False, loaded=False, error=loading.uncompiled(seam))
    tests_only = ast.Module(joined.body[len(alone.body) :], [])
    return alone, tests_only


def _seamless(joined: ast.Module, alone: ast.Module, rest: ast.Module) -> bool:
    """Whether the two parts are the same as the joined file. A parser reads ahead within a
    statement: the part before the program's last statement is the same with any continuation, and
    may be a long table."""
    seam = max(len(alone.body) - 1, 0)
    expected = ast.Module([*alone.body[seam:], *rest.body], [])
    return ast.dump(ast.Module(joined.body[seam:], [])) == ast.dump(expected)


_SIGNATURES = {"signature", "getfullargspec", "Signature"}
# What is asked of functions, by the names that the tests mention.
_WANTS = {
    "annotations": {"__annotations__", "get_annotations", "get_type_hints", *_SIGNATURES},
    "hints": {"get_type_hints"},
    "signature": _SIGNATURES,
}


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise NameError("text from an annotation is not evaluated here")


def _type_hints(hints: "dict[Any, Any]") -> Any:
    """typing.get_type_hints that knows the stand-ins and evaluates no text of the candidate's."""
    original = typing.get_type_hints

    def get_type_hints(value: Any, *arguments: Any, **named: Any) -> Any:
        described = hints.get(value) if isinstance(value, types.FunctionType) else None
        if described is None:
            return original(value, *arguments, **named)
        if isinstance(described, dict):
            raise exception(described)
        return _annotations(described)

    return get_type_hints


def _bind(judge: Judge, answer: Any, wanted: "set[str]", program: ast.Module) -> "dict[str, Any]":
    """The names that the tests see, built from the candidate's answers."""
    names: dict[str, Any] = {}
    hints: dict[Any, Any] = {}
    for name, meaning in answer.items():
        if name not in wanted or meaning is None:
            continue
        if "module" in meaning:
            # Only a module of the standard library under its own name.
            if meaning["module"] == name and name in sys.stdlib_module_names:
                names[name] = __import__(name)
        elif "function" in meaning:
            names[name] = stand_in(judge, name, meaning["function"], program)
            hints[names[name]] = meaning["function"].get("hints")
        else:
            names[name] = plain.decode(meaning["data"])
    typing.get_type_hints = _type_hints(hints)
    return names


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    judge = Judge(report_fd, channel_fd)
    program, tests = _parse(judge, payload["program"], payload["tests"])
    defined = set(payload.get("functions", []))
    mentioned = text.mentions(tests)
    if mentioned & text.EXECUTES_TEXT:
        judge.leave(fallback="the tests execute text")
    typing.eval = inspect.eval = _refuse  # type: ignore[attr-defined]
    judge.names_stop = StopIteration.__name__ in mentioned
    judge.loaded()
    wanted = {n for n in text.free_names(tests) if n in defined or not hasattr(builtins, n)}
    wants = [what for what, names in _WANTS.items() if names & mentioned]
    functions = sorted(wanted & defined)
    answer = judge.ask({"names": sorted(wanted), "functions": functions, "wants": wants})
    module = types.ModuleType("__main__")
    try:
        names = _bind(judge, answer["names"], wanted, program)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        judge.leave(ended=False, error={"type": "Gone", "text": f"a malformed answer: {error}"})
    module.__dict__.update(names, __file__=PATH)
    sys.modules["__main__"] = module
    try:
        exec(compile(tests, PATH, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:  # SystemExit ends a script early
        judge.failed(error, not wanted <= defined or text.looks_further(tests, defined))
    judge.leave(ended=True)
