"""The engine's errors, grouped by who can fix them.

A candidate that crashes raises nothing: its failure is a result.

EngineError
  UploadError      the submitter: the prediction file is wrong
  BenchmarkError   staff: the dataset, its answers or its settings are wrong
    SettingError   the operator: an environment variable is wrong
  EndpointError    the user that runs a model: its address, its key or the request is wrong
  SandboxError     the infrastructure: Docker, an image, a container, a full disk
    EngineAway     Docker does not answer now
    SandboxGone    this container is lost; another one may work"""

from collections.abc import Callable, Sequence

from evaluation.engine.records import Problem
from evaluation.engine.texts import Message, named_texts
from evaluation.engine.texts import Text as _

STOPPED = _("Stopped.")
TEXTS = named_texts("errors", globals())


class EngineError(Exception):
    """The root; never raised itself."""

    message: str

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class _WithProblems(EngineError):
    def __init__(self, problems: Sequence[Problem] | str, *, more: int = 0) -> None:
        if isinstance(problems, str):
            problems = [Problem(problems)]
        self.problems = tuple(problems)
        self.more = more
        Exception.__init__(self, "; ".join(map(str, self.problems[:3])))
        alone = self.problems[0].sentence if len(self.problems) == 1 else ""
        self.message = alone if str(self) == alone else str(self)


class UploadError(_WithProblems):
    """The prediction file cannot be judged. `more` counts the problems that are not listed."""


class BenchmarkError(_WithProblems):
    """The dataset cannot be used."""


class SettingError(BenchmarkError):
    """Names the variable, its value and the allowed values."""


class EndpointError(EngineError):
    """The message quotes the endpoint's reply. Answers received before the error are kept."""


class SandboxError(EngineError):
    """The message names the fault and the remedy. Nothing was judged."""

    message: Message


class EngineAway(SandboxError):
    """Docker does not answer now; it may come back."""


class SandboxGone(SandboxError):
    """This container is lost; another one may work. It ended or stopped answering. `how` is
    comparable: "oom", "exit <code>", "silent", "protocol", "irregular" or "docker"."""

    def __init__(self, how: str, message: Message) -> None:
        super().__init__(message)
        self.how = how


def give_up_if(stopped: Callable[[], bool]) -> None:
    """Raises SandboxError if `stopped` returns true."""
    if stopped():
        raise SandboxError(STOPPED())
