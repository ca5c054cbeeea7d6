"""Messages of the engine and of workers: stored as codes, shown in the reader's language."""

import json
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext

from evaluation.engine import catalogue
from evaluation.engine.texts import Message, named_texts, restored, stored
from evaluation.engine.texts import Text as _
from leaderboard.fields import ExactJSONField
from leaderboard.text import storable

# The characters of the longest stored sentence that a process keeps after it read it.
_MOST_CACHED = 500
# Causes of failed worker steps.
WORKER_SILENT = _("Its worker stopped answering.")
WORKER_STOPPED = _("Its worker was stopped.")
FAULT = _("Internal error (%(kind)s). If it happens again, tell the site's staff.")
# Uploads.
NO_SUBMISSIONS = _(
    "%(benchmark)s does not accept submissions now. Choose another benchmark, or ask the "
    "site's staff."
)
NO_SETTING = _("There is no setting with this name. Choose one of the benchmark's settings.")
FILE_LARGE = _(
    "The file is larger than %(most)d MiB. Compress it, or upload fewer samples of each task."
)
TEAM_STORES = _(
    "With this file your team would store %(stored)d MiB here, and %(most)d MiB are allowed. "
    "Discard uploads, upload fewer samples of each task, or ask the site's staff for more room."
)
TEAM_WAITS = _(
    "With this file %(waiting)s generations of your team would wait for judging, and %(most)s may "
    "wait. Submit it when earlier files are judged, or upload fewer samples of each task."
)
FILE_CHANGED = _("The file has changed since it was checked. Upload it again.")
DECLARE_FIRST = _(
    "%(benchmark)s needs a declaration before the upload, and this entrant has no open one "
    "for this setting. Declare the run under Submissions, Declared runs."
)
DECLARED_OTHERWISE = _(
    "The file has %(samples)d samples of a task, but the declared run has %(declared)d. "
    "Upload the declared run, or declare this one."
)
FITS_ALSO = _(
    "All its task ids also exist in %(benchmarks)s. Submit the file only if it was made for "
    "this benchmark."
)
FITS_BETTER = _(
    "The file has %(seen)d tasks: of %(tasks)d in this benchmark, but of %(total)d in "
    "%(benchmark)s, which fits better. Submit it here only if it was made for this benchmark."
)
FITS_OTHER = _(
    "All task ids of the file exist in %(benchmarks)s, but not all of them in this benchmark. "
    "Submit the file there if it was made for that benchmark."
)
MEMBER_NAME_LONG = _("Its name is longer than %(most)d characters. Shorten it.")
MEMBER_NO_BOARD = _(
    "Its name contains no benchmark of this site and no setting of the chosen one. If it "
    "holds predictions, name it like the benchmark, such as %(example)s.json, and upload it."
)
MEMBER_SEVERAL_BOARDS = _(
    "Its name fits several benchmarks: %(names)s. Upload it by itself and choose one."
)
MEMBER_NO_SETTING = _(
    "Its name does not contain a setting of %(benchmark)s. Put it in a folder with the name "
    "of one: %(names)s."
)
MEMBERS_OF_ONE_BOARD = _(
    "%(number)d files of the zip are for %(benchmark)s, %(setting)s, but a model has only one "
    "file for it. Upload one zip for each model."
)
FAILED_HERE = _(
    "This failed on our side, not because of the file. Upload it again later. %(cause)s"
)
# Runs at models' endpoints.
NO_RUNS = _("This site does not generate from endpoints for teams now.")
NO_PROMPTS = _(
    "This benchmark has no prompts. Generate with prompts of your own, and upload the file."
)
ONE_SAMPLE = _("A dynamic conversation is held once for each task: ask for 1 sample.")
MANY_RUNS = _("Your team has %(most)d active runs. Wait until one ends.")
ODD_KEY = _(
    "The endpoint's key contains spaces or characters that are not ASCII. Copy it again, "
    "without quotes and line breaks."
)
KEY_UNREADABLE = _(
    "The key can no longer be read because the site's secrets were changed. Enter it again."
)
RUN_OVERDUE = _("The run exceeded this site's time limit. Resume it: its answers are kept.")
ANSWERS_TAKEN = _("Another worker still has the run's answers open.")
ANSWERS_OF_ANOTHER = _(
    "The answers so far were requested by another release of this site. Start a new run."
)
ANSWERS_LARGE = _(
    "The answers need more than %(most)s MiB. Start a new run with fewer samples or "
    "shorter answers."
)
TURNS_UNREADY = _(
    "The turns of this benchmark's conversations cannot be judged here now. The site's "
    "staff can see why. Resume the run when they have fixed it."
)

_SETTINGS = {
    "base": _("base"),
    "single_round": _("single round"),
    "two_round": _("two round"),
    "multi_turn": _("multi turn"),
    "dynamic": _("dynamic"),
}
TEXTS = (
    catalogue.TEXTS
    | named_texts("site", globals())
    | named_texts("site", {f"setting_{name}": text for name, text in _SETTINGS.items()})
)


def setting_named(setting: str) -> str:
    """For use in a sentence: two_round as "two round"."""
    text = _SETTINGS.get(setting)
    return text() if text else setting.replace("_", " ")


def in_readers_language(sentence: str) -> str:
    """A Message translated with its parameters, or any other sentence, fit for a page."""
    if not isinstance(sentence, Message):
        return storable(sentence)
    params = {
        name: in_readers_language(value) if isinstance(value, str) else value
        for name, value in sentence.params.items()
    }
    return gettext(sentence.text.template) % params


class MessageField(ExactJSONField):
    """A sentence, or a JSON value with sentences in it. A Message is stored as its code and
    parameters, and read as a Message in the present wording."""

    def get_prep_value(self, value: Any) -> str | None:
        return super().get_prep_value(_with_codes(value))

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        # A board reads thousands of notes: nearly all are empty, and the others are of few kinds.
        if value == '""':
            return ""
        sentence = _sentence(value) if value and len(value) <= _MOST_CACHED else None
        if sentence is not None:
            return sentence
        return _with_messages(super().from_db_value(value, expression, connection))


@lru_cache(maxsize=1_000)
def _sentence(stored: str) -> str | None:
    """None for anything else, which callers may change."""
    value = _with_messages(json.loads(stored))
    return value if isinstance(value, str) else None


def _with_codes(value: Any) -> Any:
    match value:
        case Message():
            return stored(value)
        case {"code": _, "params": _}:  # an uploader's, which must not become a message
            return {"code": None, "params": {n: _with_codes(part) for n, part in value.items()}}
        case dict():
            return {name: _with_codes(part) for name, part in value.items()}
        case list() | tuple():
            return [_with_codes(part) for part in value]
    return value


def _with_messages(value: Any) -> Any:
    """A message whose text is gone becomes its code."""
    match value:
        case {"code": None, "params": {**parts}}:
            return {name: _with_messages(part) for name, part in parts.items()}
        case {"code": code, "params": {}}:
            return restored(value, TEXTS) or code
        case dict():
            return {name: _with_messages(part) for name, part in value.items()}
        case list():
            return [_with_messages(part) for part in value]
    return value
