"""The engine's own sentences: each is in the catalogue and is used."""

import ast
from pathlib import Path

from evaluation import engine
from evaluation.engine.catalogue import TEXTS

ROOT = Path(engine.__file__).parent


def test_every_text_of_the_engine_is_in_the_catalogue_and_used() -> None:
    modules = [ast.parse(path.read_text("utf-8")) for path in ROOT.rglob("*.py")]
    names = [
        target.id
        for tree in modules
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
        for tree in modules
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load)
    }
    assert set(names) - used == set()
