"""The records that pass between the engine's parts, in order of appearance.

Everything here is a frozen value. Nothing here runs, reads or decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

TaskId: TypeAlias = int | str
Json: TypeAlias = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Task:
    """One item of a benchmark in the family's normal form.

    `public` may be shown to anyone; `hidden` holds what entrants must not see
    (expected outputs, reference code, hidden tests) and only the family reads it.
    """

    id: TaskId
    public: Mapping[str, Any]
    hidden: Mapping[str, Any]
    language: str = "python"
    natural_language: str | None = None
    level: str | None = None
    domain: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that a task offers for generations in one setting.

    `turn` counts from 0 (Base) in static settings and is None where there are no
    turns. A slot that is not `required` is judged when filled and never missing.
    """

    requirement: str | None = None
    turn: int | None = None
    required: bool = True


class Key(NamedTuple):
    """What names a generation within one submission."""

    task_id: TaskId
    sample: int
    requirement: str | None = None
    turn: int | None = None


class Unit(NamedTuple):
    """What is judged once: a generation by one set of tests, "" being the one that its setting
    and slot imply."""

    key: Key
    test_set: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    """One model output, exactly as uploaded. `sample` counts from 0 within its slot. `asked` is
    the message that it answers, where a transcript tells it."""

    key: Key
    text: str
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A repository at one commit and how it is built: what one prepared image holds.

    `repository` is "owner/name", or the path of an operator's source tree below the folder of
    such trees; then `commit` is "". `image` and the commands are as the dataset writes them.
    `withheld` are the files that hold answers, as paths in the repository: the image is without
    them, each run brings them along. `requires` are packages that the benchmark's tests need
    beside what the build installs.
    """

    repository: str
    commit: str
    image: str
    build_command: str
    test_commands: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    report: str = "pytest"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A project whose image is on this host.

    `key` is the hash of everything that decides what is in the image, the same on every host;
    `digest` is Docker's id of this host's build of it, `base` what the dataset's image name
    stood for. `texts` are the repository's text files by path, the withheld ones included, as
    they were checked out. `root` is where the tree lies in a container, `tree_bytes` its size
    there, `environment` the image's own variables. `remains` names copies of withheld files
    that had to stay in the image.
    """

    project: Project
    key: str
    image: str
    digest: str
    base: str
    root: str
    tree_bytes: int
    texts: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    remains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One generation to be judged against one set of the task's tests.

    `test_set` is "" for the set that the setting and the slot imply; a family may
    name others (a conversation's code against one instruction by itself). `prepared` and
    `references` are there where the family prepares projects and has references.
    """

    task: Task
    generation: Generation
    setting: str
    test_set: str = ""
    prepared: Prepared | None = None
    references: Mapping[str, Reference] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        return Unit(self.generation.key, self.test_set)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use.

    `cpu_seconds` is processor time of everything that the run starts; the run also
    ends after `wall_factor` times as much wall time. Sizes are bytes.
    """

    cpu_seconds: float
    wall_factor: float = 3.0
    memory: int = 512 * 2**20
    output: int = 8 * 2**20
    pids: int = 128
    open_files: int = 256

    @property
    def wall_seconds(self) -> float:
        return self.cpu_seconds * self.wall_factor


@dataclass(frozen=True, slots=True)
class Execution:
    """One run in a sandbox: which runner inside the container, and what it is given."""

    runner: str
    payload: Mapping[str, Json]
    limits: Limits


class Stop(StrEnum):
    """Why the sandbox ended a run that did not end by itself."""

    CPU = "cpu"
    WALL = "wall"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The facts of one run, and no opinion about them.

    Exactly one of `exit_code`, `signal` is set once the main process has ended;
    `stop` says that the sandbox ended it. `oom_kills` counts processes that the
    memory limit killed meanwhile. `report` is what the runner said on a channel
    apart from the candidate's streams; None where it said nothing well-formed.
    `output` is the beginning of both its streams as they were read, in projects their end;
    `errors` the beginning of stderr alone, empty in projects, where both are one pipe.
    `died` is set instead of all else where the container itself went down under
    this run twice, alone, between good canaries.
    """

    exit_code: int | None = None
    signal: int | None = None
    stop: Stop | None = None
    died: str | None = None
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_kib: int = 0
    oom_kills: int = 0
    report: Mapping[str, Json] | None = None
    output: str = ""
    errors: str = ""
    output_truncated: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """An execution with its outcome: what `proceed` and `judge` see, oldest first."""

    execution: Execution
    outcome: Outcome


class Status(StrEnum):
    """How a generation fared. NOT_RUN is the machinery's fault and never scored."""

    PASSED = "passed"
    FAILED = "failed"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    MEMORY_EXCEEDED = "memory_exceeded"
    OUTPUT_EXCEEDED = "output_exceeded"
    NOT_RUN = "not_run"


class Integrity(StrEnum):
    """Whether a pass may be believed; beside the status, never in it."""

    CLEAN = "clean"
    SUSPECT = "suspect"
    CLEARED = "cleared"
    CONFIRMED = "confirmed"


def counts(status: str | None, integrity: str | None) -> bool:
    """True for a pass that counts: a suspect or confirmed one does not."""
    return status == Status.PASSED and integrity in (Integrity.CLEAN, Integrity.CLEARED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of judging a generation against one set of tests.

    Counts are None where tests are not counted. `duration_ms` is wall time of the
    judged run; controls are not part of it, `control_ms` is theirs. `flags` are short
    machine-readable remarks; `evidence` and `output` are for staff and, where the
    benchmark allows it, for the entrant.
    """

    key: Key
    status: Status
    test_set: str = ""
    integrity: Integrity = Integrity.CLEAN
    tests_passed: int | None = None
    tests_total: int | None = None
    duration_ms: int | None = None
    control_ms: int | None = None
    peak_memory_kib: int | None = None
    flags: tuple[str, ...] = ()
    evidence: str = ""
    output: str = ""

    @property
    def unit(self) -> Unit:
        return Unit(self.key, self.test_set)

    @property
    def passed(self) -> bool:
        """True for a pass that counts: a suspect or confirmed one does not."""
        return counts(self.status, self.integrity)

    @property
    def open(self) -> bool:
        """True while the verdict may still turn into a pass or a failure."""
        return self.status is Status.NOT_RUN or (
            self.status is Status.PASSED and self.integrity is Integrity.SUSPECT
        )


@dataclass(frozen=True, slots=True)
class Reference:
    """What a program that is no generation came to (the untouched project, the reference
    solution, a stub): once per task, image and engine version.

    `status` is what a generation would have got for it. `passed` are the ids of the tests that
    passed, sorted; `tests` how many there were. `facts` are what the family keeps for judging.
    `unsound` says why the task cannot be judged by it; "" where it can. One that was run on a
    further set of tests has a name that ends in a colon and the set's.
    """

    name: str
    status: Status
    passed: tuple[str, ...] = ()
    tests: int = 0
    cpu_seconds: float = 0.0
    duration_ms: int = 0
    facts: Mapping[str, Json] = field(default_factory=dict)
    unsound: str = ""
    output: str = ""

    @property
    def part(self) -> str:
        """The set of tests of which alone it speaks, of a requirement say; "" for the task's."""
        return self.name.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's mark for one generation on one scale, 1 to the scale's top."""

    key: Key
    rater: str
    criterion: str
    value: int


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What one slot of a task contributes: `n` samples, `c` of them correct.

    Unique by (task, metric, category, turn). `open` of the n are unsettled
    (lost to the machinery, or suspect) and so not in `c`. Where `value` is given it is the
    contribution, a mean over n samples, open ones counted as 0, and c says nothing; each sample
    adds at most 1 of n. Results that are not `overall` count in their category and turn alone.
    """

    task_id: TaskId
    metric: str
    n: int
    c: int
    open: int = 0
    category: str | None = None
    turn: int | None = None
    overall: bool = True
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A metric over one slice. `value` is None where it is undefined; in 0..1 but for counts.

    `low`..`high` is the 95 % interval, clustered by task; `n` the number of units
    averaged, `tasks` of how many tasks. While losses or suspects are open, `value`
    and the interval are None and `bounds` holds the least and the greatest that
    it can become.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    tasks: int
    slice: str = "overall"
    slice_value: str = ""
    bounds: tuple[float, float] | None = None
    note: str = ""
    better: Literal["higher", "lower"] = "higher"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file, in words for who supplied it."""

    sentence: str
    line: int | None = None
    task_id: TaskId | None = None
    member: str = field(default="")

    def __str__(self) -> str:
        where = [self.member] if self.member else []
        if self.line is not None:
            where.append(f"line {self.line}")
        if self.task_id is not None:
            where.append(f"task {self.task_id}")
        return f"{', '.join(where)}: {self.sentence}" if where else self.sentence
