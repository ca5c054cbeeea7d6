"""What the host reads of Java texts takes time linear in the text."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluation.engine.families.aixbench_auto.assembling import assemble
from evaluation.engine.families.aixbench_auto.crossing import crossing, field_classes
from evaluation.engine.projects import java_control
from tests.evaluation.engine.families.aixbench_auto.cases import task
from tests.support.linear import is_linear

SIGNATURE = "public static List<String> f(List<String> a, int b)"
METHOD = "@Test public void f(int a) { g(a); }\n"
SIZE = 50_000


@pytest.mark.parametrize(
    "piece", [METHOD, "f(", "for (;;) { s.f(a, b);", "class A{", "a<", "Generated_", "a . "]
)
@pytest.mark.parametrize(
    "read",
    [
        lambda text: assemble(task(SIGNATURE), text),
        lambda text: assemble(task(SIGNATURE), f"class A {{ {text} }}"),
        lambda text: assemble(
            task(SIGNATURE),
            f"package {text}a; {'import a;' * (len(text) // 9)} class A {{}} // {text}",
        ),
        lambda text: crossing(f"class A {{ {text} }}", SIGNATURE, {}),
        lambda text: field_classes([f"package a; public class A {{ {text} }}"]),
        lambda text: java_control.rewritten(f"class A {{ {text} }}"),
    ],
    ids=["assemble", "assemble class", "assemble package", "crossing", "field classes", "control"],
)
def test_long_texts_take_linear_time(read: Callable[[str], Any], piece: str) -> None:
    assert is_linear(lambda size: read(piece * (size // len(piece))), SIZE)
