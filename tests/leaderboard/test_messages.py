"""Tests of sentences with codes: all are translated, and stored ones are shown in the reader's
language."""

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import gettext, override
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluation
import leaderboard
from evaluation.engine.texts import Message, Text
from evaluation.engine.uploads import texts as upload_texts
from leaderboard.messages import TEXTS, MessageField, in_readers_language
from leaderboard.text import storable
from tests.evaluation.engine.uploads.conftest import put

__all__ = ["put"]

pytestmark = pytest.mark.any_database

CODES = ("ru", "zh-hans")
PLACE = re.compile(r"%\((\w+)\)([sd])")
# A separator of values in a sentence has a Latin letter or a blank; these have neither.
ODD = st.lists(
    st.sampled_from(["%", "%(", ")s", "\n", "'", '"', "`", "\\", "{", "}", "ж", "题", "7"])
)
ODD_VALUES = ODD.map("".join)

every_language = pytest.mark.parametrize("code", CODES)


def filled(text: Text, values: Sequence[str]) -> Message:
    """The message with odd values in places for words, and numbers in places for numbers."""
    params = {
        name: value if kind == "s" else len(value)
        for (name, kind), value in zip(PLACE.findall(text.template), values, strict=False)
    }
    return text(**params)


# --- Every text ---------------------------------------------------------------------------


@every_language
def test_every_template_is_translated_with_its_places(code: str) -> None:
    with override(code):
        shown = {
            text: in_readers_language(filled(text, ["7", "8", "9", "10"]))
            for text in TEXTS.values()
        }
        same = {text.code for text in shown if gettext(text.template) == text.template}
    assert len(shown) > 180
    assert [text.code for text, said in shown.items() if "%(" in said or not said] == []
    assert same <= {"uploads.mebibytes"}  # a unit


@settings(deadline=None)
@given(st.sampled_from(list(TEXTS.values())), st.lists(ODD_VALUES, min_size=4, max_size=4))
def test_odd_values_come_through_unchanged(text: Text, values: list[str]) -> None:
    said = filled(text, values)
    for code in CODES:
        with override(code):
            shown = in_readers_language(said)
        assert all(value in shown for value in said.params.values() if isinstance(value, str))


@given(st.text())
def test_what_has_no_code_stays_as_it_is(said: str) -> None:
    with override("ru"):
        assert in_readers_language(said) == storable(said)


def test_words_within_a_sentence_are_translated_too() -> None:
    wanted = upload_texts.WANTED_EITHER(one="`,`", other="`}`")
    with override("ru"):
        assert in_readers_language(upload_texts.UNEXPECTED(found="']'", wanted=wanted)) == (
            "Встретилось ']' там, где ожидается `,` или `}`. Записывайте файл с помощью "
            "библиотеки JSON."
        )


@pytest.fixture(scope="module")
def site() -> dict[Path, ast.Module]:
    """The modules of the site by their files."""
    return {
        path: ast.parse(path.read_text("utf-8"))
        for package in (leaderboard, evaluation)
        for path in sorted(Path(package.__path__[0]).rglob("*.py"))
        if "engine" not in path.parts and "cli" not in path.parts and "builder" not in path.parts
    }


def test_what_the_site_raises_and_may_store_has_a_code(site: dict[Path, ast.Module]) -> None:
    raised = [
        (f"{path.name}:{node.lineno}", ast.unparse(node.args[0]))
        for path, tree in site.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args
        if ast.unparse(node.func) in ("UploadError", "EndpointError", "SandboxError")
    ]
    assert len(raised) > 10
    assert [one for one in raised if not one[1].startswith("messages.")] == []


def test_every_problem_of_an_upload_has_a_code() -> None:
    """tests/evaluation/engine/test_catalogue.py asks the same of what the engine raises."""
    uploads = Path(evaluation.__path__[0], "engine/uploads")
    sentences = [
        (path.name, node.args[0])
        for path in uploads.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func) == "Problem"
    ]
    assert len(sentences) > 15
    literals = ast.Constant | ast.JoinedStr | ast.BinOp
    assert [name for name, said in sentences if isinstance(said, literals)] == []


# --- Stored -------------------------------------------------------------------------------


def reread(value: Any) -> Any:
    field = MessageField()
    return field.from_db_value(field.get_prep_value(value), None, None)


@settings(deadline=None)
@given(
    st.sampled_from(list(TEXTS.values())), st.lists(st.text(max_size=20), min_size=4, max_size=4)
)
def test_a_stored_sentence_is_shown_as_it_was_said(text: Text, values: list[str]) -> None:
    """To English readers in the very words."""
    said = filled(text, values)
    for code in ("en", *CODES):
        with override(code):
            shown = in_readers_language(said)
            assert in_readers_language(reread(said)) == shown
            assert code != "en" or shown == storable(said)
    assert reread([{"why": (said, 1)}]) == [{"why": [reread(said), 1]}]


@pytest.mark.parametrize(
    "value",
    [
        "",
        None,
        "Its worker was stopped.",
        {"code": 1, "params": 2},
        {"code": "site.fault", "params": {"code": "", "params": {}}},
    ],
)
def test_what_is_no_message_is_read_as_it_was(value: Any) -> None:
    assert reread(value) == value
    assert reread({"header": value}) == {"header": value}


def test_a_message_whose_text_is_gone_is_its_code() -> None:
    assert reread(Text("Earlier.", "site.earlier")()) == "site.earlier"
