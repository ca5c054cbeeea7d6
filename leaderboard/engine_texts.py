"""What the engine says in English, in the language of who reads it.

The engine knows no languages, and what it said may have been stored. Here its sentences are
known again by their wording: the list is compared with what the engine says by
tests/leaderboard/test_engine_texts.py. The translations have numbers where they need no plural.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from leaderboard import engine_generation_texts as of_generation
from leaderboard import engine_project_texts as of_projects
from leaderboard.engine_rubric_texts import MEANINGS

Texts: TypeAlias = tuple[str, ...]

PLACE = re.compile(r"%\((\w+)\)s")
# No sentence of the engine comes near it, and patterns take long over what is made to fool them.
MOST_CHARACTERS = 2000

WRAPPINGS: Texts = (
    _("The compressed file is broken (%(reason)s)."),
    _("The zip file is broken (%(reason)s). Pack it again."),
    _("The file unpacks to more than %(ratio)s times its size. Upload it with less compression."),
    _("The file is longer than %(size)s when unpacked. Split it over several submissions."),
    _("The zip holds more than %(number)s files."),
    _("The zip holds no file."),
    _("The zip holds %(number)s files: upload only one, or name one of them."),
    _(
        "The zip holds %(number)s files: upload only one, or name the file of this benchmark like "
        "%(family)s.json."
    ),
    _("%(number)s files in the zip are named like %(family)s: leave one of them."),
    _("The file in the zip is encrypted. Pack it without a password."),
    _("The zip uses a rare kind of compression. Pack it with the usual one (deflate)."),
    _("The file is packed more than once. Upload a .gz, a .zip or the bare file."),
    _("The file is packed with %(packer)s. Upload a .gz, a .zip or the bare file."),
    _("The file is UTF-16. Save it as UTF-8."),
)
LAYOUTS: Texts = (
    _("The file is empty."),
    _("The file holds no generations."),
    _("The file has more than %(number)s records."),
    _("The document has `data.test` twice. Leave one of them."),
    _("The document has more than %(number)s keys beside `data.test`."),
    _("Something follows after the end of the JSON document."),
    _("A key is not a JSON string."),
    _("The file ends where %(wanted)s should stand."),
    _("%(found)s stands where %(wanted)s should."),
    _("The file ends inside a string: it was probably cut off."),
    _("The file ends inside a value: it was probably cut off."),
    _("The file ends before its last bracket is closed: it was probably cut off."),
    _(
        "This is not valid UTF-8: byte %(byte)s at position %(position)s of the record. Save the "
        "file as UTF-8."
    ),
    _(
        "This is not valid JSON: %(fault)s at character %(position)s of the record. Write the file "
        "with a JSON library."
    ),
    _("This is nested too deeply to be a record of predictions."),
)
FORMATS: Texts = (
    _("a MERA submission, taken from `data.test` (one JSON document)"),
    _("a sample log of lm-evaluation-harness, taken from `resps` (one record per line)"),
    _("a sample log of lm-evaluation-harness, taken from `resps` (one JSON array)"),
    _("records with a task_id and `outputs`, `completion` or `code` (one record per line)"),
    _("records with a task_id and `outputs`, `completion` or `code` (one JSON array)"),
    _("transcripts of conversations, a task_id and `messages` for each (one record per line)"),
    _("transcripts of conversations, a task_id and `messages` for each (one JSON array)"),
    _("a file for each prediction"),
    _(
        "This file's name does not end in a task's id and the ending of the benchmark's language, "
        "so it is no prediction. Leave it out, or rename it."
    ),
    _(
        "This is none of the known formats: a MERA submission (data.test with `outputs` and "
        "`meta.id`), a sample log of lm-evaluation-harness (`doc` and `resps`), or records with "
        "`task_id` and `outputs`, `completion` or `code`, each on a line of its own or in one "
        "JSON array."
    ),
    _(
        "This is none of the known formats: a MERA submission (data.test with `outputs` and "
        "`meta.id`), a sample log of lm-evaluation-harness (`doc` and `resps`), or records with "
        "`task_id` and `outputs`, `completion` or `code`, each on a line of its own or in one "
        "JSON array. Line %(line)s: %(sentence)s"
    ),
    _(
        "This is a transcript of conversations (`messages`). Transcripts belong to a dynamic "
        "setting: choose that setting, or upload the generations as `completion` or `outputs`."
    ),
)
# How a transcript departs from the rules: told of a file, and of what was judged.
DEPARTURES: Texts = (
    _("Turn %(turn)s is not the task's prompt by itself."),
    _("Turn %(turn)s is none of the task's messages."),
    _("Turn %(turn)s asks for %(found)s, where %(due)s is next by our verdicts."),
    _("Turn %(turn)s does not say that %(due)s was not followed, as our verdicts do."),
    _(
        "Turn %(turn)s gives feedback on %(found)s, where by our verdicts %(due)s is asked for "
        "without."
    ),
    _("Turn %(turn)s gives feedback on %(found)s with too long an error."),
    _("Turn %(turn)s comes after the conversation's end."),
    _("Turn %(turn)s is missing, in which %(due)s is next by our verdicts."),
)
TRANSCRIPTS: Texts = (
    _(
        "This setting takes transcripts of conversations: records with a `task_id` and "
        "`messages`, each on a line of its own or in one JSON array. Upload these as the run wrote "
        "them, or choose the setting that the file was made for."
    ),
    _("The record has no `messages`. Add the conversation about the task, or leave the task out."),
    _(
        "`messages` hold no conversation: %(fault)s. Upload the transcript as the run wrote it, "
        "made with the tasks of this revision and its wording of the feedback, or ours; or leave "
        "the task out."
    ),
    _(
        "%(sentence)s Upload the transcript as the run wrote it, made with the tasks of this "
        "revision and its wording of the feedback, or ours; or leave the task out."
    ),
    _("Turn %(turn)s is longer than %(most)s characters."),
    _("Turn %(turn)s holds half of a surrogate pair, which is no character. Remove or replace it."),
    _(
        "%(missing)s of %(tasks)s tasks have no transcript: they will count as conversations in "
        "which nothing was ever passed."
    ),
    *DEPARTURES,
)
RECORDS: Texts = (
    _(
        "What stands under `%(name)s` in the first record cannot be kept. Leave the record out, or "
        "make it an object of at most 64 KiB."
    ),
    _("The record is longer than %(size)s. Shorten it or split it up."),
    _("The record is %(kind)s where it should be an object."),
    _("The record has no `%(field)s`. Add the id of the task it answers."),
    _("The record has both `outputs` and `completion`. Leave one of them."),
    _("The record has no generation. Put one under `completion`, or several under `outputs`."),
    _("The record has no `outputs`. Add the generations, or leave the task out."),
    _("The record has no `doc`, so it is no line of a harness log."),
    _(
        "The record has no `resps`. `filtered_resps` is never taken, since it may hold results "
        "instead of code: log the samples with their raw responses."
    ),
    _("`resps` should be a list of lists of strings, as the harness logs it."),
    _("`%(field)s` is a list. Put several generations under `outputs`."),
    _("`%(field)s` is %(kind)s where it should be a string."),
    _("`%(field)s` is %(kind)s where it should be a string or a list of strings."),
    _("`%(field)s` is %(kind)s where it should be the requirement's name."),
    _("`%(field)s` is empty. Add a generation, or leave the task out."),
    _("Generation %(number)s is %(kind)s where it should be a string."),
    _("Generation %(number)s is longer than %(most)s characters."),
    _(
        "Generation %(number)s holds half of a surrogate pair, which is no character. Remove or "
        "replace it."
    ),
    _("The task id is %(kind)s where it should be a whole number or a string."),
    _(
        "This benchmark has no such task. Correct the id, or check that the file belongs to this "
        "benchmark and revision."
    ),
)
PLACES: Texts = (
    _("There are more than %(most)s generations for one place. Leave some out."),
    _("The task takes no generations in this setting. Leave it out."),
    _(
        "The record names no requirement, and this setting judges each by itself. Add a "
        "`requirement` field with one of %(names)s; or choose the setting that takes generations "
        "without requirements."
    ),
    _(
        "The requirement %(requirement)s fits no place: in this setting the task takes generations "
        "without a requirement. Leave the field out, or choose the setting that the file was made "
        "for."
    ),
    _(
        "The task has no requirement %(requirement)s in this setting. It has %(names)s: name one "
        "of these, or leave the record out."
    ),
    _(
        "Line %(line)s gives generations of this task in the other form. Use either one list of "
        "`outputs` or one record per generation."
    ),
    _(
        "Line %(line)s gives generations of this task and requirement in the other form. Use "
        "either one list of `outputs` or one record per generation."
    ),
    _("Line %(line)s already holds the generations of this task. %(advice)s"),
    _("Line %(line)s already holds the generations of this task and requirement. %(advice)s"),
    _(
        "The `type` differs from line %(line)s of the same task, so these are not samples of one "
        "generation. Check that the file belongs to this setting."
    ),
    _(
        "The `type` differs from line %(line)s of the same task and requirement, so these are not "
        "samples of one generation. Check that the file belongs to this setting."
    ),
)
WARNINGS: Texts = (
    _("%(missing)s of %(tasks)s tasks have no generation: they will count as %(samples)s."),
    _(
        "%(missing)s requirements have no generation in tasks that have others: they will count "
        "as %(samples)s."
    ),
    _("There are from %(low)s to %(high)s generations in a place: k is limited to %(limit)s."),
)
NOTES: Texts = (
    _("no result counts here"),
    _("needs %(number)s samples of every task, the fewest are %(fewest)s"),
    _("%(number)s samples are unsettled"),
)
# Why a step or a chunk was given back. The first are ours, stored by a process without a reader.
CAUSES: Texts = (
    _("Its worker stopped answering."),
    _("Its worker was stopped."),
    _("The site has a fault (%(kind)s)."),
    _("The file has changed since it was checked. Upload it again."),
    _("This failed on our side, not because of the file. Upload it again later. %(cause)s"),
    _("Sandboxes are lost again and again: %(cause)s"),
    _("Sandboxes go down before anything of a submission runs in them."),
    _("Programs whose verdict is known were judged wrongly three times."),
    _("The sandbox stopped answering."),
    _("The sandbox answered what it was not asked."),
    _("The sandbox sent what its supervisor does not send."),
    _("The sandbox announced %(number)s bytes."),
    _("The sandbox must be replaced: %(irregular)s."),
    _("What the tasks share cannot be used: %(unfit)s"),
    _("What the tasks share is too large for a sandbox: %(size)s bytes."),
    _("The sandbox was opened with what the tasks of another file share."),
    _("The sandbox went down (%(how)s)."),
    _("The sandbox went down (%(how)s). %(said)s"),
    _("The connection to the sandbox broke (%(reason)s)."),
    _("%(doing)s: the sandbox image is missing; run `make setup`."),
    _("%(doing)s: Docker refused it (%(reason)s)."),
    _("%(doing)s: Docker did not do it (%(reason)s)."),
    _("The memory limit must be at least %(number)s MiB."),
    _("Stopped."),
    _("A turn of a conversation could not be judged."),
    *of_projects.CAUSES,
)
# Why there is no image to run anything in.
IMAGES: Texts = (
    _("There is no sandbox image %(name)s; there is %(names)s."),
    _(
        "Docker failed while the sandbox image was looked for or made: %(reason)s. Run `make "
        "setup`, which starts Docker where it may; if it goes on, look at Docker's log."
    ),
    _("Docker took the image %(image)s but does not list it; try again."),
    _(
        "Docker could not store the image %(image)s: %(said)s. Look for free space with `docker "
        "system df`."
    ),
    _(
        "Docker runs on %(theirs)s and this machine is %(ours)s, so a base made here would not run "
        "there. Run `make setup` on Docker's own machine, or name a base image that can be pulled "
        "in ASSAY_BASE_IMAGE."
    ),
    _(
        "The base image %(image)s (ASSAY_BASE_IMAGE) cannot be pulled: %(reason)s. Correct the "
        "name, or unset ASSAY_BASE_IMAGE to have a base made with debootstrap."
    ),
    _(
        "The sandbox image could not be built: %(said)s See docs/operators/proxies.md where the "
        "network is the reason."
    ),
    _(
        "The sandbox image has no base: no registry answers with one, and making one with "
        "debootstrap takes root. Run `make setup` once as root, or name an image that can be "
        "pulled in ASSAY_BASE_IMAGE."
    ),
    _(
        "debootstrap is not installed, and no registry answers with a base image. Install it (on "
        "Debian or Ubuntu: apt-get install debootstrap) and run `make setup` again."
    ),
    _(
        "debootstrap could not make the sandbox's base system: %(said)s If this machine reaches "
        "Debian through another mirror or a proxy, set ASSAY_DEBIAN_MIRROR or http_proxy "
        "(docs/operators/proxies.md)."
    ),
    _("tar could not pack the base system in %(directory)s; look for free space with `df -h`."),
    _(
        "pip could not fetch the image's packages: %(reason)s. See docs/operators/proxies.md for "
        "mirrors and certificates."
    ),
    _(
        "The state directory %(directory)s cannot be made (%(error)s); name another one in "
        "ASSAY_STATE_DIR."
    ),
)
SENTENCES = (
    *(WRAPPINGS + LAYOUTS + FORMATS + TRANSCRIPTS + RECORDS + PLACES + WARNINGS + NOTES),
    *(CAUSES + IMAGES),
    *MEANINGS,
    *of_generation.SENTENCES,
)
# What may stand in a place of that name and is words as well. All else is put in as it is.
PARTS: Mapping[str, Texts] = {
    "sentence": SENTENCES,
    "cause": SENTENCES,
    "answer": of_generation.SAID,
    "advice": (
        _("Put all generations of a task into one list."),
        _("Keep one line per document; where the log has several filters, the lines of one."),
        _("A conversation is held once for each task."),
    ),
    "kind": (_("a boolean"), _("a number"), _("a string"), _("a list"), _("an object")),
    "wanted": (_("a key in double quotes"), _("a value"), _("%(one)s or %(other)s")),
    "names": (_("%(first)s and %(last)s"),),
    "samples": (_("1 wrong sample"), _("%(number)s wrong samples")),
    "size": (_("%(number)s MiB"), _("%(number)s bytes")),
    "reason": (
        _("its directory is too large"),
        _("its directory points outside of the file"),
        *of_projects.REASONS,
    ),
    "doing": (
        _("reaching the Docker engine"),
        _("starting a sandbox"),
        _("asking how a sandbox ended"),
        _("looking for left-over sandboxes"),
        *of_projects.DOING,
    ),
    "fault": (  # as Python's json says it
        _("Expecting value"),
        _("Expecting ',' delimiter"),
        _("Expecting ':' delimiter"),
        _("Expecting property name enclosed in double quotes"),
        _("Extra data"),
        _("Invalid control character"),
        _("Unterminated string starting"),
        # ... and of transcripts
        _("messages must be a list with at least one turn"),
        _("turn %(turn)s of the transcript has no answer"),
        _("turn %(turn)s of the transcript holds a message that is no JSON object"),
        _("turn %(turn)s of the transcript must have a message of the user here"),
        _("turn %(turn)s of the transcript must have a message of the assistant here"),
        _("turn %(turn)s of the transcript has a message without a text as content"),
    ),
}


def in_readers_language(sentence: str) -> str:
    """The sentence translated, with its values as they are; as it is where nobody knows it."""
    return sentence if len(sentence) > MOST_CHARACTERS else _translated(sentence, SENTENCES)


def _translated(said: str, texts: Texts) -> str:
    for text, pattern in _patterns(texts):
        if found := pattern.fullmatch(said):
            values = found.groupdict().items()
            return gettext(text) % {k: _translated(v, PARTS.get(k, ())) for k, v in values}
    return said


@cache
def _patterns(texts: Texts) -> list[tuple[str, re.Pattern[str]]]:
    """Those with the most words of their own first, as others may recognise theirs too."""
    ordered = sorted(texts, key=lambda text: len(PLACE.sub("", text)), reverse=True)
    return [(text, _pattern(text)) for text in ordered]


def _pattern(text: str) -> re.Pattern[str]:
    words = [re.escape(part) for part in PLACE.split(text)]
    words[1::2] = [f"(?P<{name}>.*?)" for name in PLACE.findall(text)]
    return re.compile("".join(words), re.DOTALL)
