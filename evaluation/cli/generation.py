"""`generate`: sends a model the prompts and writes a predictions file."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

from evaluation.cli.commands import setup, swept
from evaluation.cli.intake import KEY_VARIABLE, chosen, chosen_setting, require_writable
from evaluation.cli.progress import GenerationProgress
from evaluation.engine import registry, uploads
from evaluation.engine.conversations.wording import load_prompts
from evaluation.engine.digests import sha256_of
from evaluation.engine.errors import UploadError
from evaluation.engine.family import Sampling, Talks
from evaluation.engine.generation.answers import Asked, Patience, Price
from evaluation.engine.generation.guard import Allowed, is_key
from evaluation.engine.generation.run import Turns, open_turns
from evaluation.engine.generation.session import Session, Stopper, write_predictions
from evaluation.engine.instructions import BASE, DYNAMIC
from evaluation.engine.records import TaskId
from evaluation.engine.variables import Variables

_INCOMPLETE = 3


def generate(words: argparse.Namespace) -> int:
    """Returns 3 if some messages got no answer. Raises EngineError."""
    session = _session(words)
    tally = session.tally
    progress = GenerationProgress(session.price, by_conversation=session.setting == DYNAMIC)
    session.watch = progress.show
    require_writable(words.out)
    try:
        header, records = session.predictions()
    finally:
        if tally.began:
            progress.close(tally)
    write_predictions(words.out, header, records)
    for place, reason in tally.lost.items():
        where = f", {place.requirement}" if place.requirement else ""
        print(f"No answer for task {place.task_id}{where}: {reason}", file=sys.stderr)
    print(f"{words.out} is written.")
    if tally.lost:
        print("Run the same command again to request the missing answers.", file=sys.stderr)
    return _INCOMPLETE if tally.lost else 0


def _session(words: argparse.Namespace) -> Session:
    """Raises BenchmarkError, UploadError, EndpointError."""
    family = registry.family(words.family)
    asking = family.asking
    assert asking is not None, "the words name only families that have prompts"
    setting = chosen_setting(family, words)
    if words.base is not None and setting in (BASE, DYNAMIC):
        raise UploadError("--base is for settings that begin with the Base completion.")
    if words.answers is None and setting != DYNAMIC and asking.questions is not None:
        all_tasks = asking.questions(words.tasks)
    else:
        all_tasks = family.load_tasks(words.tasks, words.answers)
    tasks = chosen(all_tasks, words.only)

    @contextmanager
    def turns(talks: Talks, _stopped: Stopper) -> Iterator[Turns]:
        judged = family.by_execution()
        how = setup(talks.limits, words, judged)
        with swept(), open_turns(talks, judged, tasks, all_tasks, how) as opened:
            yield opened

    samples = words.samples or (1 if setting == DYNAMIC else asking.sampling.samples)
    if setting == DYNAMIC and samples != 1:
        raise UploadError("A dynamic conversation is held once for each task: leave --samples out.")
    begun = dict[tuple[TaskId, int], dict[str | None, str]]()
    if words.base:
        index = uploads.SlotIndex.for_setting(family, all_tasks, BASE)
        report = uploads.check(words.base, index, family=family.slug)
        if report.problems:
            raise UploadError(report.problems, more=report.more)
        answers = uploads.read(words.base, index, family=family.slug)
        begun = {(a.key.task_id, a.key.sample): {None: a.text} for a in answers}
    names = {field.name for field in fields(Sampling)} - {"samples"}
    chosen_values = {name: value for name, value in vars(words).items() if name in names}
    sampling = replace(asking.sampling, samples=samples, **chosen_values)
    values = words.endpoint, words.model, sampling, words.stream, words.timeout
    journal = words.out.with_name(words.out.name + ".journal")
    if words.out.exists() and not journal.exists():
        raise UploadError(f"{words.out} exists; name another file for the predictions.")
    files = {
        "tasks": words.tasks,
        "answers": words.answers if setting == DYNAMIC else None,
        "prompts_file": words.prompts,
        "base": words.base,
    }
    whose = "the tasks' own" if asking.in_tasks else "ours"
    return Session(
        family=family,
        setting=setting,
        history=words.history,
        tasks=tasks,
        asked=Asked(*values, key=_key(words.key_file)),
        journal=journal,
        width=words.concurrency,
        patience=Patience(tries=words.tries),
        prompts=words.prompts and load_prompts(words.prompts),
        prompts_of=whose if words.prompts is None else "a file's",
        files={name: path and sha256_of(path) for name, path in files.items()},
        price=Price(*words.price) if words.price else None,
        begun=begun,
        allowed=Allowed() if words.public else None,
        turns=turns,
    )


def _key(path: Path | None) -> str:
    """The key, or "". Raises UploadError, which never contains the key."""
    if path is None:
        text = Variables().text(KEY_VARIABLE)
    else:
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            # Without the file's name, which may be the key itself.
            raise UploadError("The file given as --key-file contains no readable key.") from None
    key = text.strip()
    if not is_key(key):
        raise UploadError("The endpoint's key contains spaces or characters that are not ASCII.")
    return key
