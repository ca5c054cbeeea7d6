"""The journal of a run: every answer is on disk before it is used.

The first line identifies the run. Then there is a line for each answer, and in dynamic
conversations for each judged turn. An incomplete last line is removed on resume."""

import asyncio
import contextlib
import fcntl
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from evaluation.engine.errors import SandboxError, UploadError
from evaluation.engine.generation.answers import Answer
from evaluation.engine.lines import GrowingFile, line
from evaluation.engine.records import Key, Problem
from evaluation.engine.sandbox.texts import RUN_FILE_UNWRITABLE


class JournalTaken(UploadError):
    """Another run is writing the journal now."""


class OtherRun(UploadError):
    """The journal holds answers of a run with another identity."""


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer, and the fingerprint of the messages before it."""

    answer: Answer
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TurnResults:
    """The results of a turn's judged instructions; None is the prompt. `error` is the output of the
    failed tests of the turn's own instruction."""

    passed: Mapping[str | None, bool]
    error: str


def fingerprint(messages: Sequence[Mapping[str, str]]) -> str:
    text = json.dumps([dict(message) for message in messages], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def unwritten(path: Path, error: OSError) -> SandboxError:
    """The error for an unwritable file. It omits the folder, which would reveal host paths."""
    return SandboxError(RUN_FILE_UNWRITABLE(refused=f"{path.name}: {error.strerror}"))


class Journal:
    """An open journal: an asynchronous context manager for one event loop. Opening raises
    JournalTaken, OtherRun, or UploadError if the file is malformed. Opening and saving raise
    SandboxError if the disk is full."""

    def __init__(self, path: Path, identity: Mapping[str, Any], began: str) -> None:
        self.answers: dict[Key, Saved] = {}
        self.rows: dict[Key, TurnResults] = {}
        self.began, self._path = began, path
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._lines = GrowingFile(path)
        try:
            try:
                fcntl.flock(self._lines.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise JournalTaken(f"{path} is being written by another run.") from None
            if not self._lines.load(partial(self._take, identity)):
                self._write([line({"run": dict(identity), "began": began})])
        except BaseException:
            self._close()
            raise

    def _take(self, identity: Mapping[str, Any], number: int, text: bytes) -> None:
        try:
            value = json.loads(text)
            if number == 1:
                before, self.began = dict(value["run"]), str(value["began"])
            elif "row" in value:
                passed = {name: bool(result) for name, result in value["row"]}
                self.rows[Key(*value["place"])] = TurnResults(passed, str(value["error"]))
            else:
                saved = Saved(Answer(**value["answer"]), str(value["fingerprint"]))
                self.answers[Key(*value["place"])] = saved
        except (ValueError, KeyError, TypeError):
            sentence = f"{self._path} contains a line that does not belong in a journal."
            raise UploadError([Problem(sentence, number)]) from None
        other = [name for name in identity if number == 1 and before.get(name) != identity[name]]
        if other:
            raise OtherRun(
                f"{self._path} belongs to another run ({', '.join(other)} differ); name another "
                "file for the predictions, or remove the journal."
            )

    async def save_answer(
        self, place: Key, messages: Sequence[Mapping[str, str]], answer: Answer
    ) -> None:
        """Returns when the answer is on disk."""
        mark = fingerprint(messages)
        said = {"place": place, "said": messages[-1]["content"], "answer": asdict(answer)}
        await self._save({**said, "fingerprint": mark})
        self.answers[place] = Saved(answer, mark)

    async def save_row(self, place: Key, row: TurnResults) -> None:
        """Returns when the turn's results are on disk."""
        await self._save({"place": place, "row": list(row.passed.items()), "error": row.error})
        self.rows[place] = row

    async def _save(self, value: Mapping[str, Any]) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((line(value), done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        await asyncio.shield(done)

    async def _write_waiting(self) -> None:
        """Writes all waiting lines together, with one fsync for each batch."""
        while self._waiting:
            taken, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._write, [text for text, _ in taken])
            except SandboxError as error:
                for _, done in taken:
                    done.set_exception(error)
            else:
                for _, done in taken:
                    done.set_result(None)

    def _write(self, lines: Sequence[str]) -> None:
        try:
            self._lines.write(lines)
        except OSError as error:
            raise unwritten(self._path, error) from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writing is not None:
            await asyncio.wait([self._writing])
        self._close()

    def _close(self) -> None:
        # Unwritten lines were never reported as saved, and their callers got the error.
        with contextlib.suppress(OSError):
            self._lines.file.close()
