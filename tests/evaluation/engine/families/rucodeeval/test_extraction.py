import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.rucodeeval.extraction import extract_code

PIECES = st.sampled_from(
    ["```python\n", "```java\n", "```\n", "```", "\n", "x = 1", "\r\n", " ", "``", "текст"]
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("    return 1", "    return 1", id="no fence at all"),
        pytest.param("", "", id="nothing"),
        pytest.param("```python\nx = 1\n```", "\nx = 1\n", id="one block"),
        pytest.param("Вот:\n```python\nx = 1\n```\nГотово", "\nx = 1\n", id="prose around"),
        pytest.param(
            "```python\nx = 1\n```\nи\n```python\ny = 2\n```", "\nx = 1\n\ny = 2\n", id="two blocks"
        ),
        pytest.param("```bash\nls\n```\n```python\nx = 1\n```", "\nx = 1\n", id="mixed languages"),
        pytest.param("```java\nint x;\n```", "\n", id="another language leaves nothing"),
        pytest.param("```Python\nx\n```", "\n", id="the language is case-sensitive"),
        pytest.param("```python\nx = 1", "\nx = 1", id="unclosed"),
        pytest.param("```java\nint x;", "\n", id="unclosed in another language"),
        pytest.param(
            "```python\nx = 1\n```\n```python\ny", "\nx = 1\n", id="closed beats unclosed"
        ),
        pytest.param("```java\nx\n```\n```python\ny", "\n", id="closed of any language does"),
        pytest.param("```\nx = 1\n```", "```\nx = 1\n```", id="bare fences are text"),
        pytest.param("``` python\nx\n```", "``` python\nx\n```", id="no space before the name"),
        pytest.param("```python \nx\n```", "```python \nx\n```", id="no space after the name"),
        pytest.param("```python\r\nx\n```", "```python\r\nx\n```", id="no carriage return"),
        pytest.param("  ```python\nx\n```", "  ```python\nx\n```", id="not at a line's start"),
        pytest.param("```python\nx```", "\nx```", id="closing needs a newline before it"),
        pytest.param("```python\n```", "\n```", id="an empty block never closes"),
        pytest.param("```python\nx\n```python\ny\n```", "\nx\n", id="any three backticks close"),
        pytest.param("```py-3_x\nx\n```\n", "\n", id="names may hold dashes"),
    ],
)
def test_what_is_code_in_an_answer(text: str, code: str) -> None:
    assert extract_code(text) == code


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


@given(st.text())
def test_text_without_backticks_is_left_alone(text: str) -> None:
    text = text.replace("`", "")
    assert extract_code(text) == text


@given(st.lists(PIECES, max_size=12).map("".join))
def test_code_is_part_of_the_text_after_at_most_a_newline_each(text: str) -> None:
    code = extract_code(text)
    assert len(code) <= len(text) + 1
    assert code == text or code.startswith("\n")


@given(st.lists(st.text("xy =\n#", min_size=1).map(lambda t: t + "\n"), min_size=1, max_size=5))
def test_fenced_blocks_come_back_in_order(blocks: list[str]) -> None:
    text = "\n".join(f"```python\n{block}```" for block in blocks)
    assert extract_code(text) == "\n" + "\n".join(blocks)


def test_many_fences_take_linear_time() -> None:
    text = "```python\nx\n```\n" * 20_000 + "```python\n"
    assert extract_code(text).count("x") == 20_000
