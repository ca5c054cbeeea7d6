"""Tests of annotations, which cross as names of types: no text is evaluated, no function
crosses."""

import builtins
import collections.abc
import datetime
import decimal
import typing
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside.annotations import _MODULES, decode, encode
from evaluation.engine.sandbox.inside.plain import NotPlain

# The old spellings are tested on purpose.
FORMS: list[Any] = [
    int, str, None, NoneType, "int", "list[Unknown]", ..., 3, [int, str],
    list, list[int], dict[str, list[int]], tuple[int, ...], tuple[int, str], type[int],
    typing.List, typing.List[int], typing.Dict[str, int], typing.Tuple[int, ...],  # noqa: UP006
    typing.Optional[int], typing.Union[int, str, None], typing.Any,  # noqa: UP007, UP045
    int | None, int | str | list[int], list[int | None], typing.List[int | None],  # noqa: UP006
    typing.Callable, typing.Callable[[int], str], typing.Callable[..., int],  # noqa: UP006
    Callable[[int, str], None], Callable[..., int], Iterable[int], typing.Iterator[int],
    typing.Literal["a", 1, None], typing.Sequence[typing.Mapping[str, typing.Any]],
    datetime.date, decimal.Decimal, ValueError, collections.Counter, typing.Callable[[], int],
    typing.Hashable, collections.abc.Sized, typing.NoReturn, typing.Set[frozenset[int]],  # noqa: UP006
]  # fmt: skip
LEAVES = st.sampled_from([int, str, float, bytes, None, typing.Any, datetime.date, "Later"])
NESTED = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda a: list.__class_getitem__(a)),
        inner.map(lambda a: typing.cast(Any, typing.List)[a]),  # noqa: UP006
        inner.map(typing.Optional.__getitem__),  # noqa: UP045
        st.tuples(inner, inner).map(dict.__class_getitem__),
        st.tuples(inner, inner).map(typing.Union.__getitem__),  # noqa: UP007
        st.tuples(inner.map(lambda a: [a]), inner).map(typing.Callable.__getitem__),  # noqa: UP006
        inner.map(lambda a: tuple.__class_getitem__((a, ...))),
    ),
    max_leaves=5,
).filter(lambda form: "ForwardRef" not in repr(form))
NAMES = st.sampled_from(
    ["int", "List", "Union", "Literal", "Callable", "eval", "open", "__dict__", "__builtins__",
     "sys", "get_type_hints", "_cleanups", "cast", "Any", "__loader__", "_overload_registry"]
)  # fmt: skip
KINDS = st.sampled_from(["type", "TypeVar", "NewType", "int"])
TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.text(max_size=3) | NAMES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(st.just("name"), st.sampled_from([*_MODULES, "os"]), NAMES).map(list)
        | st.tuples(st.just("own"), KINDS, NAMES, st.integers(0, 2)).map(list)
        | st.tuples(st.sampled_from(["plain", "list", "or", "of"]), inner).map(list)
        | st.tuples(st.just("or"), st.lists(inner, max_size=3)).map(list)
        | st.tuples(st.just("of"), inner, st.lists(inner, max_size=3)).map(list)
    ),
    max_leaves=12,
)
EXECUTABLE = (FunctionType, BuiltinFunctionType, ModuleType)


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_a_form_arrives_equal_and_looks_the_same(form: Any) -> None:
    arrived = decode(encode(form))
    assert arrived == form
    assert type(arrived) is type(form)
    assert repr(arrived) == repr(form)


@given(NESTED)
def test_nested_forms_arrive(form: Any) -> None:
    assert decode(encode(form)) == form


class Mine:
    __module__ = "__main__"  # as in a program


@pytest.mark.parametrize("form", [Mine(), list[Mine()], len, lambda: 0, ModuleType("m")])  # type: ignore[misc]
def test_what_the_standard_library_does_not_name_is_not_plain(form: Any) -> None:
    with pytest.raises(NotPlain):
        encode(form)


class Posing:
    __module__ = "builtins"
    __qualname__ = "int"


def test_a_class_that_poses_as_a_builtin_is_not_it() -> None:
    arrived = decode(encode(Posing))
    assert arrived is not int and arrived.__name__ == "Posing"


Item = typing.TypeVar("Item")
Even = typing.NewType("Even", int)
Item.__module__ = Even.__module__ = Mine.__module__


@pytest.mark.parametrize(
    "form",
    [Mine, Item, Even, list[Mine], Mine | None, typing.List[Item], Path, PathLike[str]],  # noqa: UP006
)
def test_what_no_list_names_arrives_as_another_that_equals_only_itself(form: Any) -> None:
    arrived = decode(encode(form))
    assert arrived == decode(encode(form)) != form
    assert repr(arrived).endswith(repr(form).rpartition(".")[2])


@given(TREES)
def test_any_json_is_an_annotation_or_a_value_error(tree: Any) -> None:
    try:
        found = decode(tree)
    except ValueError:
        return
    assert not isinstance(found, EXECUTABLE)


@pytest.mark.parametrize(
    "tree",
    [
        ["name", "builtins", "eval"],
        ["name", "typing", "get_type_hints"],
        ["name", "typing", "__builtins__"],
        ["of", ["name", "typing", "__builtins__"], [["plain", "eval"]]],
        ["name", "os", "system"],
        ["name", "typing", "sys.modules"],
    ],
)
def test_no_function_module_or_namespace_is_an_annotation(tree: Any) -> None:
    with pytest.raises(ValueError, match=""):
        decode(tree)


def test_a_union_is_of_types() -> None:
    with pytest.raises(ValueError, match="union"):
        decode(["or", [["plain", 1], ["plain", "x"]]])


def test_no_text_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("evaluated")

    hostile = "__import__('os').getcwd()"
    trees = [
        ["plain", hostile],
        ["of", ["name", "typing", "List"], [["plain", hostile]]],
        [
            "of",
            ["name", "typing", "Callable"],
            [["list", [["plain", hostile]]], ["plain", hostile]],
        ],
    ]
    monkeypatch.setattr(builtins, "eval", refuse)
    for tree in trees:
        assert "getcwd" in repr(decode(tree))
