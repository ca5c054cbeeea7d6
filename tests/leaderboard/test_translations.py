"""Tests of the site in its other languages: every text is translated, compiled, and on the
pages."""

import gettext
import re
import shutil
from collections import Counter
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path

import django
import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from leaderboard.messages import FAULT
from leaderboard.pages.boards.words import setting_title, setting_words
from leaderboard.pages.shared.mark_words import MARK_WORDS, tally
from leaderboard.pages.shared.score_words import compact_date, count, percent, seconds
from leaderboard.submissions.intake import claim_upload, take_back_upload
from leaderboard.submissions.models import UploadState
from scripts.translations import LANGUAGES, LOCALE, PROGRAMS, TEMPLATE, catalogue, extract, path_of
from tests.leaderboard.pages.submissions.visits import checked, received
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

PLACEHOLDER = re.compile(r"%(?:\(\w+\)[a-z]|%)")
TAG = re.compile(r"<[^>]+>")
# Text that only people write: names, ids and file types have a capital or a dot, or stand alone.
ENGLISH = re.compile(r"\b[a-z]{2,}(?:'[a-z]+)? [a-z]{2,}\b")
# Names of programs and code are the same in every language.
NOT_PROSE = ("code", "pre", "script", "style", "svg")
SPOKEN = ("aria-label", "title", "placeholder", "data-failed", "data-copied", "data-broken")

every_language = pytest.mark.parametrize("language", LANGUAGES)


def keys(path: Path) -> set[tuple[str | None, str, str]]:
    return {(one.msgctxt, one.msgid, one.msgid_plural) for one in catalogue(path)}


# --- The catalogues -----------------------------------------------------------------------


@every_language
def test_a_catalogue_has_the_template_s_texts_and_no_others(language: str) -> None:
    assert keys(path_of(language)) == keys(LOCALE / TEMPLATE)


@every_language
def test_every_text_is_translated(language: str) -> None:
    assert [one.msgid for one in catalogue(path_of(language)) if not one.translated()] == []


def test_the_template_has_what_the_sources_say(tmp_path: Path) -> None:
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    if lacking:
        pytest.skip(f"only GNU gettext can tell, and {', '.join(lacking)} is not on this machine")
    made = extract(tmp_path)
    assert made is not None
    assert keys(LOCALE / TEMPLATE) == keys(made / TEMPLATE), (
        "a text has changed: `.venv/bin/python -m scripts.translations`, then translate what it "
        "names; see docs/contributors/translations.md"
    )


@every_language
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    with path_of(language).with_suffix(".mo").open("rb") as file:
        compiled = dict(gettext.GNUTranslations(file)._catalog)
    del compiled[""]  # the header
    written: dict[str | tuple[str, int], str] = {}
    # Unfinished entries are not compiled.
    for one in catalogue(path_of(language)).translated_entries():
        name = one.msgid if one.msgctxt is None else f"{one.msgctxt}\4{one.msgid}"
        if one.msgid_plural:
            written |= {(name, form): text for form, text in one.msgstr_plural.items()}
        else:
            written[name] = one.msgstr
    assert compiled == written


@every_language
def test_plural_forms_are_those_of_django_itself(language: str) -> None:
    theirs = Path(django.__file__).parent / f"conf/locale/{language}/LC_MESSAGES/django.po"
    forms = [
        catalogue(path).metadata["Plural-Forms"].split() for path in (path_of(language), theirs)
    ]
    assert "".join(forms[0]) == "".join(forms[1])


@every_language
def test_every_form_keeps_the_places_and_tags_of_its_text(language: str) -> None:
    wrong = [
        text
        for one in catalogue(path_of(language)).translated_entries()
        for text in one.msgstr_plural.values() or [one.msgstr]
        # One form of a language may stand for many numbers (in Russian the first is also for 21),
        # so each form must name what the plural names.
        if parts_of(text) != parts_of(one.msgid_plural or one.msgid)
    ]
    assert wrong == []


def parts_of(text: str) -> tuple[set[str], Counter[str]]:
    return set(PLACEHOLDER.findall(text)), Counter(TAG.findall(text))


# --- The pages ----------------------------------------------------------------------------


class Prose(HTMLParser):
    """The texts of a page that people read or hear, without code."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._not_prose = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._not_prose += tag in NOT_PROSE
        self.texts += [value for name, value in attrs if value and name in SPOKEN]

    def handle_endtag(self, tag: str) -> None:
        self._not_prose -= tag in NOT_PROSE

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._not_prose:
            self.texts.append(" ".join(data.split()))


def test_no_kind_of_result_has_english_left_over(client: Client, cast: Cast) -> None:
    """tests/leaderboard/addresses/test_every_address.py asks for every other page."""
    larch = cast.entrant()
    submissions = [
        cast.judged_submission(larch, ("passed", "timeout", "compile_error")),
        cast.judged_submission(larch, publish=False, integrity="suspect"),
        cast.submission(larch),
    ]
    client.force_login(cast.alice)
    pages = [submission.get_absolute_url() for submission in submissions]
    pages += [reverse("submission-task", args=[submissions[0].pk, number]) for number in range(3)]
    pages += [reverse("team", args=[cast.northwood.slug]), cast.rucodeeval.get_absolute_url()]
    assert {page: english(client, page) for page in pages} == {page: [] for page in pages}


def test_what_the_engine_says_of_a_file_is_in_the_reader_s_language(
    client: Client, cast: Cast
) -> None:
    content = predictions(cast.rucodeeval)
    files = [
        content.splitlines()[0],  # a warning
        content + b'{"task_id": 9, "outputs": 5}\n{"task_id": "none", "completion": ""}\n{',
    ]
    entrant = cast.entrant()
    uploads = [checked(entrant, cast.alice, cast.rucodeeval, file) for file in files]
    waiting = received(entrant, cast.alice, cast.rucodeeval, content)
    claimed = claim_upload(pk=waiting.pk, owner="worker", state=UploadState.RECEIVED)
    assert claimed is not None and take_back_upload(upload=claimed, cause=FAULT(kind="KeyError"))
    uploads.append(waiting)
    client.force_login(cast.alice)
    pages = [upload.get_absolute_url() for upload in uploads]
    assert {page: english(client, page) for page in pages} == {page: [] for page in pages}


def english(client: Client, page: str) -> list[str]:
    """The texts of a page that were left in English, for a Russian reader: what is marked for
    translation is translated to every language, as is tested above."""
    with override("ru"):  # otherwise the next test would get the request's language
        answer = client.get(page, headers={"Accept-Language": "ru"})
    assert (answer.status_code, answer.headers["Content-Language"]) == (200, "ru"), page
    return english_texts(answer.content.decode())


def english_texts(page: str) -> list[str]:
    prose = Prose()
    prose.feed(page)
    return [text for text in prose.texts if ENGLISH.search(text)]


# --- Numbers, dates, names ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ru", ["78,4", "1\N{NO-BREAK SPACE}640", "0,311 с", "пройдено: 2, ошибка: 1"]),
        ("zh-hans", ["78.4", "1640", "0.311 秒", "通过 2, 运行出错 1"]),
    ],
)
def test_numbers_are_written_as_the_language_has_them(code: str, words: list[str]) -> None:
    with override(code):
        kinds = ["passed", "runtime_error", "passed"]
        assert [percent(0.784), count(1640), seconds(311), tally(kinds, MARK_WORDS)] == words


@pytest.mark.parametrize(
    ("code", "words"), [("ru", ["05.03", "12.11.2021"]), ("zh-hans", ["03-05", "2021-11-12"])]
)
def test_dates_are_written_as_the_language_has_them(code: str, words: list[str]) -> None:
    this_year = datetime.now(UTC).year
    with override(code):
        shown = [compact_date(date(this_year, 3, 5)), compact_date(date(2021, 11, 12))]
    assert [*map(str, shown)] == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("en", ["two round", "Two round", "new way", "New way"]),
        ("ru", ["два раунда", "Два раунда", "new way", "New way"]),
        ("zh-hans", ["两轮", "两轮", "new way", "New way"]),
    ],
)
def test_a_setting_has_one_name_within_a_sentence_and_alone(code: str, words: list[str]) -> None:
    with override(code):
        names = ("two_round", "new_way")
        assert [to(name) for name in names for to in (setting_words, setting_title)] == words
