"""Any record of a task in words is described, or rejected with a message."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.datasets import described, number_of
from tests.support.json_values import json_values

JSON = json_values()


@given(JSON | st.fixed_dictionaries({"task_id": JSON, "raw_nl": JSON}))
def test_any_record_is_described_or_refused_in_words(item: Any) -> None:
    try:
        id, text, language = described(item)
    except ValueError as error:
        assert str(error)
    else:
        assert (id, text) == (item["task_id"], item["raw_nl"])
        assert id == number_of(item) >= 0 and text.strip() and language in ("en", "zh")


@pytest.mark.parametrize(
    ("text", "language"),
    [("sum of a list", "en"), ("«Сортировка»，！", "en"), ("かな", "en"), ("列表", "zh")]
    + [("sum of 列", "zh"), ("\U00020000", "zh")],
)
def test_one_chinese_character_makes_it_chinese(text: str, language: str) -> None:
    assert described({"task_id": 0, "raw_nl": text})[2] == language
