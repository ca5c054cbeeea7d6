"""Errors by who can act on them. A candidate that crashes raises nothing: it is data.

EngineError
  UploadError      the submitter: the prediction file is wrong
  BenchmarkError   staff: the dataset, its answers or its settings are wrong
    SettingError   who runs the installation: an environment variable is wrong
  EndpointError    who asks a model: its address, its key, what it is asked for
  SandboxError     the machinery: Docker, an image, a container, a full disk
    SandboxGone    this container is lost; another may do
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluation.engine.records import Problem
from evaluation.engine.texts import Message, Text
from evaluation.engine.texts import gettext_noop as _

STOPPED = Text("stopped", _("Stopped."))


class EngineError(Exception):
    """The root; never raised itself. `message` is a Message where the sentence has a code."""

    message: str


class _WithProblems(EngineError):
    def __init__(self, problems: Sequence[Problem] | str, *, more: int = 0) -> None:
        if isinstance(problems, str):
            problems = [Problem(problems)]
        self.problems = tuple(problems)
        self.more = more
        super().__init__("; ".join(map(str, self.problems[:3])))
        alone = self.problems[0].sentence if len(self.problems) == 1 else ""
        self.message = alone if str(self) == alone else str(self)


class UploadError(_WithProblems):
    """The prediction file cannot be judged. `more` problems were counted, not listed."""


class BenchmarkError(_WithProblems):
    """The dataset cannot be used as it is."""


class SettingError(BenchmarkError):
    """An environment variable is wrong; names it, what was found and what is allowed."""


class EndpointError(EngineError):
    """A model's endpoint does not answer, or refuses to; says what it said. What was answered
    before is kept."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class SandboxError(EngineError):
    """The machinery failed; says what and the remedy. Nothing was judged."""

    message: Message

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class EngineAway(SandboxError):
    """Docker does not answer now; it may come back."""


class SandboxGone(SandboxError):
    """The container ended or stopped answering while `position` of a batch ran.

    `how` tells the end in a word that two ends can be compared by:
    "oom", "exit <code>", "silent", "protocol", "irregular", "docker".
    """

    def __init__(self, how: str, message: Message, *, position: int | None = None) -> None:
        super().__init__(message)
        self.how = how
        self.position = position


def give_up_if(stopped: Callable[[], bool]) -> None:
    """Raises SandboxError where all is stopped."""
    if stopped():
        raise SandboxError(STOPPED())
