import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.realcode.postprocessing import extract_code

PIECES = st.sampled_from(["```python", "```java", "```", "\n", "    x = 1", "``", "текст"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("    return 1", "    return 1", id="no fence at all"),
        pytest.param("", "", id="nothing"),
        pytest.param("Вот:\n```python\n    x\n```\nГотово", "\n    x\n", id="prose around"),
        pytest.param("```python\na\n```\n```python\nb\n```", "\na\n", id="the first of two"),
        pytest.param("```\nx\n```", "```\nx\n```", id="without the language"),
        pytest.param("```java\nx\n```", "```java\nx\n```", id="another language"),
        pytest.param("```java\nx\n```\n```python\ny```", "\ny", id="after another language's"),
        pytest.param("```python\nx", "```python\nx", id="never closed"),
        pytest.param("a ```python b``` c", " b", id="within a line"),
        pytest.param("```python``````", "", id="empty"),
    ],
)
def test_what_is_code_in_an_answer(text: str, code: str) -> None:
    assert extract_code(text) == code


@given(st.lists(PIECES, max_size=12).map("".join))
def test_code_is_part_of_the_text_and_holds_no_fence_where_it_was_taken_out(text: str) -> None:
    code = extract_code(text)
    assert code in text
    assert code == text or "```" not in code
