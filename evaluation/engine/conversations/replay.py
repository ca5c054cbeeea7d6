"""Checks a finished dynamic conversation: does each message follow from our verdicts?

Pure. Cannot detect an edit of the transcript after which every message still fits. Source:
docs/specification/conversations.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.engine.conversations import texts
from evaluation.engine.conversations.dialogue import End, Name, Row, Talk, followers, start
from evaluation.engine.conversations.wording import DynamicTexts, replaced
from evaluation.engine.family import Cue, Turn
from evaluation.engine.instructions import accumulating
from evaluation.engine.records import Task
from evaluation.engine.texts import Message, Text


@dataclass(frozen=True, slots=True)
class Departure:
    """The first turn, counted from 1, that breaks the rules. `due` names the instruction that the
    rules demand, `found` that of the message: "" for none, "Base" for the prompt."""

    turn: int
    text: Text
    due: str = ""
    found: str = ""

    @property
    def message(self) -> Message:
        return self.text(turn=self.turn, due=self.due, found=self.found)


def texts_of(task: Task) -> dict[Name, str]:
    sentences = task.public["requirements"]
    return {None: task.public["prompt"], **{n: sentences[n] for n in accumulating(task)}}


def turns_of(messages: Any) -> tuple[Turn, ...]:
    """Raises ValueError with a message for the submitter that names the turn."""
    if not isinstance(messages, list) or not messages:
        raise ValueError(texts.NO_TURNS())
    for place, message in enumerate(messages):
        turn, role = place // 2 + 1, "assistant" if place % 2 else "user"
        if not isinstance(message, dict):
            raise ValueError(texts.NO_OBJECT(turn=turn))
        if message.get("role") != role:
            text = texts.NO_ASSISTANT if place % 2 else texts.NO_USER
            raise ValueError(text(turn=turn))
        if not isinstance(message.get("content"), str):
            raise ValueError(texts.NO_CONTENT(turn=turn))
    if len(messages) % 2:
        raise ValueError(texts.NO_ANSWER(turn=len(messages) // 2 + 1))
    contents = [message["content"] for message in messages]
    return tuple(map(Turn, contents[::2], contents[1::2]))


def said(cue: Cue, texts: Mapping[Name, str], wording: DynamicTexts) -> str:
    text = texts[cue.name]
    if cue.retry:
        return wording.feedback_on(text, cue.error)
    if cue.opening:
        return replaced(wording.first, {"prompt": text})
    return replaced(wording.instruction, {"requirement": text})


@dataclass(frozen=True, slots=True)
class Reading:
    """The wording that a transcript may have: the task's texts by instruction and the templates.
    `longest_error` is in characters."""

    texts: Mapping[Name, str]
    wording: DynamicTexts
    longest_error: int | None = None

    def fits(self, asked: str, cue: Cue) -> bool:
        """Whether the message has this subject. Ignores the error's text and outer blanks."""
        if cue.retry:
            return self._error(asked, cue.name) is not None and not self.too_long(asked, cue.name)
        return asked.strip() == said(cue, self.texts, self.wording).strip()

    def too_long(self, asked: str, name: Name) -> bool:
        error = self._error(asked, name)
        return self.longest_error is not None and len(error or "") > self.longest_error

    def meaning(self, asked: str) -> tuple[Name, bool] | None:
        """Returns the message's instruction and whether it is feedback; None for any other
        message."""
        for name, text in self.texts.items():
            if asked.strip() == replaced(self.wording.instruction, {"requirement": text}).strip():
                return name, False
        names = (name for name in self.texts if self._error(asked, name) is not None)
        return next(((name, True) for name in names), None)

    def _error(self, message: str, name: Name) -> str | None:
        """Returns the error in feedback on this instruction; None if it is not such feedback."""
        feedback = self.wording.feedback_on(self.texts[name], "")
        body = message.strip()
        if body == feedback.strip():
            return ""
        before, _, after = self.wording.feedback_error.partition("{error}")
        begins, ends = (feedback + before).lstrip(), after.rstrip()
        fits = body.startswith(begins) and body.endswith(ends)
        fits = fits and len(body) >= len(begins) + len(ends)
        return body[len(begins) : len(body) - len(ends)].strip() if fits else None


def replayed(
    instructions: Sequence[str],
    turns: Sequence[Turn],
    rows: Sequence[Row],
    readings: Sequence[Reading],
) -> tuple[Talk, ...] | Departure:
    """Returns a talk for each turn, or the first departure. `rows` has, for each turn, the results
    of its answer by our own verdicts; a missing result may be a pass or a failure. All messages
    must fit the same reading. Raises ValueError if the numbers of turns and rows differ, or if
    there are no readings."""
    if len(turns) != len(rows) or not readings:
        raise ValueError(f"{len(rows)} rows and {len(readings)} readings for {len(turns)} turns")
    first = start(instructions)
    departures = []
    for reading in readings:
        outcome = _replayed(first, turns, rows, reading)
        if not isinstance(outcome, Departure):
            return outcome
        departures.append(outcome)
    return max(departures, key=lambda departure: departure.turn)


def unreadable(
    instructions: Sequence[str], turns: Sequence[Turn], readings: Sequence[Reading]
) -> Departure | None:
    """Returns a fault that no verdict can repair: a message that is not one of the task's, or too
    many turns."""
    first = start(instructions)
    if len(turns) > first.last:
        return Departure(first.last + 1, texts.AFTER_END)
    faults = []
    for reading in readings:
        if not reading.fits(turns[0].asked, first.cue):
            faults.append(Departure(1, texts.NOT_THE_PROMPT))
            continue
        for number, turn in enumerate(turns[1:], 2):
            meaning = reading.meaning(turn.asked)
            if meaning is None:
                faults.append(Departure(number, texts.UNKNOWN_MESSAGE))
                break
            if reading.too_long(turn.asked, meaning[0]):
                faults.append(Departure(number, texts.LONG_ERROR, found=_called(meaning[0])))
                break
        else:
            return None
    # Assume that the messages use the wording of the reading that gets furthest.
    return max(faults, key=lambda fault: fault.turn)


def _replayed(
    first: Talk, turns: Sequence[Turn], rows: Sequence[Row], reading: Reading
) -> tuple[Talk, ...] | Departure:
    # The possible states of the conversation, each with the turns that led to it.
    states: dict[Talk | End, tuple[Talk, ...]] = {first: ()}
    for number, (turn, row) in enumerate(zip(turns, rows, strict=True), 1):
        talks = [talk for talk in states if isinstance(talk, Talk)]
        if not talks:
            return Departure(number, texts.AFTER_END)
        # Talks with the same cue demand the same message.
        fitting = {cue for cue in {talk.cue for talk in talks} if reading.fits(turn.asked, cue)}
        if not fitting:
            return _differing(talks[0], turn.asked, reading)
        onward: dict[Talk | End, tuple[Talk, ...]] = {}
        for talk in talks:
            if talk.cue in fitting:
                for after in followers(talk, row):
                    onward.setdefault(after, (*states[talk], talk))
        states = onward
    for state, way in states.items():
        if isinstance(state, End):
            return way
    open_talk = next(talk for talk in states if isinstance(talk, Talk))
    return Departure(open_talk.turn, texts.CUT_SHORT, due=_called(open_talk.current))


def _differing(talk: Talk, message: str, reading: Reading) -> Departure:
    if talk.turn == 1:
        return Departure(1, texts.NOT_THE_PROMPT, due=_called(None))
    meaning = reading.meaning(message)
    if meaning is None:
        return Departure(talk.turn, texts.UNKNOWN_MESSAGE, due=_called(talk.current))
    name, retry = meaning
    if retry and reading.too_long(message, name):
        text = texts.LONG_ERROR
    elif retry == talk.retry:
        text = texts.OTHER_INSTRUCTION
    else:
        text = texts.RETRY_MISSING if talk.retry else texts.RETRY_SUPERFLUOUS
    return Departure(talk.turn, text, due=_called(talk.current), found=_called(name))


def _called(name: Name) -> str:
    return "Base" if name is None else name
