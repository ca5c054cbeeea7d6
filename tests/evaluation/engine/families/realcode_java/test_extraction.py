import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.realcode_java.postprocessing import extract_code

PIECES = st.sampled_from(["```java", "```python", "```", "\n", "int x;", "``", "текст"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("return 1;", "return 1;", id="no fence at all"),
        pytest.param("", "", id="nothing"),
        pytest.param("Вот:\n```java\nx\n```\nГотово", "\nx\n", id="prose around"),
        pytest.param("```java\na\n```\n```java\nb\n```", "\na\n", id="the first of two"),
        pytest.param("```java\nx", "\nx", id="never closed"),
        pytest.param("x\n```\nвот", "x\n", id="what comes before a closing fence"),
        pytest.param("```\nx\n```", "", id="without the language nothing comes before"),
        pytest.param("```python\nx\n```\n```java\ny```", "\ny", id="after another language's"),
        pytest.param("a ```java b``` c", " b", id="within a line"),
    ],
)
def test_what_is_code_in_an_answer(text: str, code: str) -> None:
    assert extract_code(text) == code


@given(st.lists(PIECES, max_size=12).map("".join))
def test_code_is_part_of_the_text_without_a_fence(text: str) -> None:
    code = extract_code(text)
    assert code in text and "```" not in code
