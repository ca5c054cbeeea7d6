"""Measures the check for copies by published answers (ASSAY_DATA): of two models, and of nine and
four fine-tuned ones if ASSAY_CODEIF names a checkout of zhu-zhu-ding/CodeIF-Bench."""

import ast
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

import pytest

from evaluation.engine import registry
from evaluation.engine.metrics.copies import SHORT, Hashes, Overlap, alike, is_common, overlap
from evaluation.engine.sketches import Sketch, sketch
from tests.acceptance.test_published_labels import CODEIF, DATA

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the benchmarks' data are not in {DATA}")

CHECKOUT = Path(os.environ.get("ASSAY_CODEIF", "/nonexistent")) / "function" / "Experiments"
# The code by model and task, and sketches by task.
Codes: TypeAlias = dict[str, dict[int, str]]
Sketches: TypeAlias = dict[int, Sketch]
HELPER = "def helper(values):\n    return [v * 2 for v in values if v > 3] or sorted(values)\n\n"


@pytest.fixture(scope="module")
def tasks() -> dict[int, set[str]]:
    """By task, the names that its function may have."""
    lines = (CODEIF / "v0" / "L_1_part_1.jsonl").read_text("utf-8").splitlines()
    rows = map(json.loads, lines)
    return {
        row["task_id"]: {*re.findall(r"\w+", row["prompt"])}.intersection(
            re.findall(r"def (\w+)", row["code"])
        )
        for row in rows
    }


@pytest.fixture(scope="module")
def codes(tasks: dict[int, set[str]]) -> Codes:
    files = {path.parent.name: path for path in CODEIF.glob("predictions/L_1_part_1/*/base.jsonl")}
    found = {path.parent.name: path for path in CHECKOUT.glob("base/*/*01.jsonl")}
    lora = CHECKOUT.glob("lora/*/*/base/*[05].jsonl")
    files = (found or files) | {path.stem: path for path in lora}
    family = registry.family("codeif_function")
    return {
        model: {
            row["task_id"]: family.code(None, row["completion"])  # type: ignore[arg-type]
            for row in map(json.loads, path.read_text("utf-8").splitlines())
        }
        for model, path in files.items()
    }


def overlap_of(mine: Sketches, theirs: Sketches, plain: set[Hashes] | None = None) -> Overlap:
    one, other = ({t: {frozenset(s.hashes)} for t, s in side.items()} for side in (mine, theirs))
    short = {frozenset(s.hashes) for s in mine.values() if s.size < SHORT}
    return overlap(one, other, short | (plain or set()))


def test_models_of_one_family_are_not_held(codes: Codes, tasks: dict[int, set[str]]) -> None:
    made = {model: sketches(code, tasks) for model, code in codes.items()}
    shares = [overlap_of(made[one], made[other]) for one, other in combinations(made, 2)]
    print(
        f"{len(made)} models: at most {max(one.share for one in shares):.0%} of answers are alike"
    )
    assert not any(one.held for one in shares)


def test_a_board_of_100_honest_submissions(codes: Codes, tasks: dict[int, set[str]]) -> None:
    """Twenty families of five. Of the answers of two of a family 60 % are alike, a little more than
    of two checkpoints of one model above. Answers are the family's, or drawn from all models."""
    draw, pool = random.Random(16), [sketches(code, tasks) for code in codes.values()]
    by_chance = fmean(overlap_of(one, other).share for one in pool for other in pool)
    familiar = max(0.0, (0.6 - by_chance) / (1 - by_chance)) ** 0.5
    teams: list[Sketches] = []
    for _family in range(20):
        shared = {task: draw.choice(pool)[task] for task in tasks}
        teams += [
            {t: shared[t] if draw.random() < familiar else draw.choice(pool)[t] for t in tasks}
            for _member in range(5)
        ]
    given: dict[Hashes, set[int]] = defaultdict(set)
    for task in tasks:
        answers = [frozenset(team[task].hashes) for team in teams]
        for answer in set(answers):
            given[answer] = {at for at, other in enumerate(answers) if alike(answer, other)}
    held, siblings = set(), []
    for other, mine in combinations(range(100), 2):
        common = {a for a, gave in given.items() if is_common(len(gave - {mine, other}), 98)}
        found = overlap_of(teams[mine], teams[other], common)
        held |= {mine} if found.held else set()
        siblings += [found.share] if mine // 5 == other // 5 else []
    print(
        f"held: {len(held)} of 100; alike in families: {fmean(siblings):.0%}, {max(siblings):.0%}"
    )
    assert not held


def edited(code: str, edit: Callable[[ast.Module], None]) -> str:
    """The code with an edited syntax tree; as it is if it does not parse."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return code
    edit(tree)
    return ast.unparse(tree)


def changed(code: str, rate: float, draw: random.Random) -> str:
    """The code with another number, or with more statements, at a share of its statements."""

    def block(statements: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in statements:
            for name in ("body", "orelse", "finalbody"):
                if isinstance(inner := getattr(statement, name, None), list):
                    setattr(statement, name, block(inner))
            if draw.random() < rate:
                numbers = [n for n in ast.walk(statement) if isinstance(n, ast.Constant)]
                numbers = [n for n in numbers if type(n.value) is int]
                if numbers and draw.random() < 0.5:
                    numbers[0].value = draw.randrange(1000)
                else:
                    out += ast.parse(f"more{len(out)} = len('{draw.random()}')").body
            out.append(statement)
        return out

    def edit(tree: ast.Module) -> None:
        tree.body = block(tree.body)

    return edited(code, edit)


def renamed(code: str, _rate: float, _draw: random.Random) -> str:
    return edited(code, rename)


def rename(tree: ast.Module) -> None:
    names = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    names |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.arg += "_2"
        elif isinstance(node, ast.Name) and node.id in names:
            node.id += "_2"


def reordered(code: str, _rate: float, _draw: random.Random) -> str:
    return edited(code, reorder)


def reorder(tree: ast.Module) -> None:
    tree.body.sort(key=lambda node: isinstance(node, ast.FunctionDef) and -node.lineno)


CALLED = """
def helper(values):
    out, total = [], 0
    for value in values:
        if value > 3 and value not in out:
            out.append(value * 2)
        elif value < -7:
            out.extend([value, value + 1])
    while total < 50:
        total += 3
        out.insert(0, total % 7)
    return sorted({key: [key * 2] for key in out}) or [total, len(out)]

"""
CALLS = (
    "helper([1, 2, 5])",
    "more = [helper([1, 2, 5])]\nmore.append(3)",
    "if not helper([1, 2, 5]):\n    raise ValueError('no')",
    "try:\n    helper([1, 2, 5])\nexcept ValueError:\n    pass",
)


def calling(call: str) -> Callable[[str, float, random.Random], str]:
    """Calls a helper for nothing in the middle of every function."""

    def edit(tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                half = len(node.body) // 2
                node.body[half:half] = ast.parse(call).body
        tree.body[:0] = ast.parse(CALLED).body

    return lambda code, rate, draw: edited(changed(code, rate, draw), edit)


JUNK = """
probe = 3
limits = [probe * 7 + 1, probe]
limits.append(probe)
if probe > 9:
    limits = sorted(limits)
"""


def padded(code: str, _rate: float, _draw: random.Random) -> str:
    return edited(code, pad)


def pad(tree: ast.Module) -> None:
    """Begins every function with code that seems to matter."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [*ast.parse(JUNK).body, *node.body]


def named(code: str, _rate: float, _draw: random.Random) -> str:
    return edited(code, name_results)


def name_results(tree: ast.Module) -> None:
    for node in [*ast.walk(tree)]:
        match getattr(node, "body", None):
            case [*_, ast.Return(ast.expr() as value) as end] as block:
                block[-1:] = ast.parse(f"outcome = {ast.unparse(value)}").body
                block.append(ast.copy_location(ast.Return(ast.Name("outcome")), end))


def swapped(code: str, _rate: float, _draw: random.Random) -> str:
    return edited(code, swap)


def swap(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and node.orelse:
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body


def split(code: str, _rate: float, _draw: random.Random) -> str:
    return edited(code, take_apart)


def take_apart(tree: ast.Module) -> None:
    """Moves the second half of each function to another."""
    for node in [one for one in tree.body if isinstance(one, ast.FunctionDef)]:
        half = len(node.body) // 2
        above = [*ast.walk(node.args), *ast.walk(ast.Module(node.body[:half], []))]
        names = {one.arg for one in above if isinstance(one, ast.arg)}
        names |= {n.id for n in above if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}
        call = f"rest_of_{node.name}({', '.join(sorted(names))})"
        rest, end = ast.parse(f"def {call}: pass\nreturn {call}").body
        assert isinstance(rest, ast.FunctionDef)
        rest.body, node.body[half:] = node.body[half:], [end]
        tree.body.append(rest)


@pytest.mark.parametrize("change", [
    renamed,
    reordered,
    padded,
    named,
    swapped,
    split,
    *map(calling, CALLS),
    lambda code, _rate, _draw: HELPER + code,
    lambda code, _rate, _draw: f"{code}\n\n{HELPER}",
    lambda code, _rate, _draw: code.replace("\n", "  # mine\n"),
    lambda code, rate, draw: HELPER + changed(code, rate, draw),
])  # fmt: skip
def test_planted_copies_are_held(
    codes: Codes, tasks: dict[int, set[str]], change: Callable[[str, float, random.Random], str]
) -> None:
    for model, code in codes.items():
        draw = random.Random(model)
        copy = {task: change(text, 0.05, draw) for task, text in code.items()}
        found = overlap_of(sketches(copy, tasks), sketches(code, tasks))
        print(f"{model}: {found.share:.0%} alike")
        assert found.held


def sketches(code: dict[int, str], tasks: dict[int, set[str]]) -> Sketches:
    return {t: sketch(text, "python", tasks[t], str(t)) for t, text in code.items()}
