"""Tests of the language of tasks that are described in words."""

import pytest

from evaluation.engine.datasets import described


@pytest.mark.parametrize(
    ("text", "language"),
    [("sum of a list", "en"), ("«Сортировка»，！", "en"), ("かな", "en"), ("列表", "zh")]
    + [("sum of 列", "zh"), ("\U00020000", "zh")],
)
def test_one_chinese_character_makes_it_chinese(text: str, language: str) -> None:
    assert described({"task_id": 0, "raw_nl": text})[2] == language
