"""The records that pass between the engine's parts, in the order of the pipeline. All are frozen
values. Nothing here runs code, reads files or makes decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

TaskId: TypeAlias = int | str
Json: TypeAlias = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Task:
    """One item of a benchmark in the family's normal form. `public` may be shown to anyone.
    `hidden` holds data that entrants must not see (expected outputs, reference code, hidden tests);
    only the family reads it."""

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
    """A place for generations of a task in one setting. `turn` counts from 0 (Base) in static
    settings and is None in settings without turns. A slot that is not `required` is judged if it is
    filled and never counts as missing."""

    requirement: str | None = None
    turn: int | None = None
    required: bool = True


class Key(NamedTuple):
    """Identifies a generation within one submission."""

    task_id: TaskId
    sample: int
    requirement: str | None = None
    turn: int | None = None


class Unit(NamedTuple):
    """Identifies a verdict: a generation and a set of tests. "" is the set that the setting and the
    slot imply."""

    key: Key
    test_set: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    """One model output, exactly as uploaded. `sample` counts from 0 within its slot. `asked` is the
    message that it answers, if a transcript contains it."""

    key: Key
    text: str
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A repository at one commit and its build: the content of one prepared image.

    repository: "owner/name", or the path of a source tree below the operator's folder of source
        trees; `commit` is "" then.
    image, build_command, test_commands: as the dataset writes them.
    withheld: repository paths of files with answers. The image lacks them; each run adds them.
    requires: packages that the tests need in addition to those that the build installs.
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

    key: hash of all inputs of the image; the same on every host.
    digest: Docker's id of this host's build.
    base: the image that the dataset's image name resolved to.
    root, tree_bytes: the tree's path in a container and its size there in bytes.
    texts: the repository's text files by path as checked out, including withheld ones.
    environment: the image's own variables.
    remains: copies of withheld files that had to stay in the image.
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
    """One generation to judge against one set of the task's tests.

    `test_set` is "" for the set that the setting and the slot imply; a family may name others (one
    instruction of a conversation, for example). `prepared` and `references` are set if the family
    prepares projects and has references.
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
    """Resource limits of one run. Sizes are bytes. `cpu_seconds` is the processor time of all
    processes of the run. The run also ends after `wall_factor` times as much wall time."""

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
    """One run in a sandbox: the runner inside the container and its input."""

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
    """The facts of one run, without judgement.

    exit_code, signal: exactly one is set once the main process has ended.
    stop: why the sandbox ended the run, if it did.
    died: how the container ended, if the run repeatedly took it down (`pipeline.Judge`). No other
        field is set then.
    oom_kills: number of processes killed by the memory limit.
    report: the runner's message on a channel separate from the candidate's streams; None if it was
        not well-formed.
    output: the beginning of stdout and stderr as they were read; in projects the end.
    errors: the beginning of stderr only; empty in projects, where both streams share one pipe.
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
    """An execution with its outcome. `proceed` and `judge` get the steps oldest first."""

    execution: Execution
    outcome: Outcome


class Status(StrEnum):
    """The result of judging a generation. NOT_RUN is an infrastructure fault and never scored."""

    PASSED = "passed"
    FAILED = "failed"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    MEMORY_EXCEEDED = "memory_exceeded"
    OUTPUT_EXCEEDED = "output_exceeded"
    NOT_RUN = "not_run"


class Integrity(StrEnum):
    """Whether a pass is trusted. Independent of the status."""

    CLEAN = "clean"
    SUSPECT = "suspect"
    CLEARED = "cleared"
    CONFIRMED = "confirmed"


def counts(status: str | None, integrity: str | None) -> bool:
    """Whether this is a pass that counts. A suspect or confirmed one does not."""
    return status == Status.PASSED and integrity in (Integrity.CLEAN, Integrity.CLEARED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of judging a generation against one set of tests.

    Counts are None if tests are not counted. `duration_ms` is the wall time of the judged run
    without its controls, `control_ms` that of the controls. `flags` are short machine-readable
    remarks. `evidence` and `output` are for staff, and for the entrant if the benchmark allows it.
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
        """Whether this is a pass that counts. A suspect or confirmed one does not."""
        return counts(self.status, self.integrity)

    @property
    def open(self) -> bool:
        return self.status is Status.NOT_RUN or (
            self.status is Status.PASSED and self.integrity is Integrity.SUSPECT
        )


@dataclass(frozen=True, slots=True)
class Reference:
    """The result of a program that is not a generation: the untouched project, the reference
    solution or a stub. One per task, image and engine version.

    name: ends in a colon and the name of the set if it ran on an additional set of tests.
    status: the status that a generation would get for it.
    passed, tests: sorted ids of the tests that passed, and the number of all tests.
    facts: data that the family keeps for judging.
    unsound: why the task cannot be judged by it; "" if it can.
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
        """The set of tests that it covers (of a requirement, for example); "" for the task's."""
        return self.name.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's mark for one generation on one scale, from 1 to the scale's top."""

    key: Key
    rater: str
    criterion: str
    value: int


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The contribution of one slot of a task: `n` samples, `c` of them correct.

    Unique by (task, metric, category, turn). `open` of the n are unsettled (lost to an
    infrastructure fault, or suspect) and not in `c`. If `value` is set it replaces c: a mean over n
    samples with open ones counted as 0, to which each sample adds at most 1/n. Results that are not
    `overall` count only in their category and turn.
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
    """A metric over one slice. `value` is None if undefined, and in 0..1 except for counts.

    `low`..`high` is the 95 % interval, clustered by task. `n` is the number of units averaged,
    `tasks` the number of their tasks. While results are open, `value` and the interval are None and
    `bounds` holds the least and the greatest possible value.
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
    """One fault in a file, in words for its supplier."""

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
