"""The engine's own sentences: each is in the catalogue, is used, and can be stored."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import engine
from evaluation.engine.catalogue import TEXTS
from evaluation.engine.texts import Message, Text, restored, stored

PLACE = re.compile(r"%\((\w+)\)([sd])")
ROOT = Path(engine.__file__).parent
# Errors and values that lead to errors, with the position of the sentence among the arguments.
RAISED = {
    "SandboxError": 0,
    "EngineAway": 0,
    "DebootstrapMissing": 0,
    "SandboxGone": 1,
    "EndpointError": 0,
    "Forbidden": 0,
    "Rejected": 0,
    "SplitError": 1,
}


@pytest.fixture(scope="module")
def modules() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def filled(text: Text, values: st.SearchStrategy[str | int]) -> st.SearchStrategy[Message]:
    places = sorted(set(PLACE.findall(text.template)))
    kinds = {name: st.integers() if kind == "d" else values for name, kind in places}
    return st.fixed_dictionaries(kinds).map(lambda params: text(**params))


plain = st.text() | st.integers()
texts = st.sampled_from(list(TEXTS.values()))
flat = texts.flatmap(lambda text: filled(text, plain))


@given(texts.flatmap(lambda text: filled(text, plain | flat)))
def test_every_message_of_the_engine_can_be_stored(said: Message) -> None:
    again = restored(json.loads(json.dumps(stored(said))), TEXTS)
    assert (again, again.text, again.params) == (said, said.text, said.params)


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_every_text_of_the_engine_is_in_the_catalogue_and_used(
    modules: dict[Path, ast.Module],
) -> None:
    names = [
        target.id
        for tree in modules.values()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if ast.unparse(node.value.func) == "_"
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert len(names) > 150
    assert sorted(names) == sorted(code.rpartition(".")[2].upper() for code in TEXTS)
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for tree in modules.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load)
    }
    assert set(names) - used == set()


def test_no_failure_of_the_engine_is_raised_with_a_bare_sentence(
    modules: dict[Path, ast.Module],
) -> None:
    """mypy demands a Message in each; this test also covers code in which mypy is not asked."""
    found, bare = 0, []
    for path, tree in modules.items():
        for node in calls(tree):
            place = RAISED.get(ast.unparse(node.func).rpartition(".")[2])
            if place is None or len(node.args) <= place:
                continue
            found += 1
            if isinstance(node.args[place], ast.Constant | ast.JoinedStr | ast.BinOp):
                bare.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert (found > 80, bare) == (True, [])
