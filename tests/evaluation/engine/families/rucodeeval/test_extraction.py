import ast

import pytest

from evaluation.engine.families.rucodeeval.judging import extract_code

FUNCTION = 'def double(x):\n    """Удвоить."""'
BODY = "    return 2 * x\n"


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{BODY}```",
        f"```python\n{FUNCTION}\n{BODY}```",
        f"Сначала импорт:\n```python\n    import math\n```\nзатем:\n```python\n{BODY}```",
        f"```python\n{BODY}",
        "\n" + BODY,
    ],
    ids=["fenced body", "fenced function", "two blocks", "unclosed", "raw body on a new line"],
)
def test_a_function_without_a_last_newline_is_completed(text: str) -> None:
    module: dict[str, object] = {}
    exec(FUNCTION + extract_code(text), module)
    double = module["double"]
    assert callable(double) and double(4) == 8


@pytest.mark.parametrize("text", [BODY, f"```\n{BODY}```"], ids=["raw body", "bare fences"])
def test_what_is_glued_to_the_docstring_does_not_compile(text: str) -> None:
    with pytest.raises(SyntaxError):
        ast.parse(FUNCTION + extract_code(text))
