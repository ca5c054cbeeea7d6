"""The frozen records that pass between the engine's parts, in the order of the pipeline."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

TaskId: TypeAlias = int | str
Json: TypeAlias = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Task:
    """One item of a benchmark. Entrants may see `public`; only the family reads `hidden`."""

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
    """A place for generations of a task in one setting. `turn` counts from 0 (Base), or is None. A
    slot that is not `required` never counts as missing."""

    requirement: str | None = None
    turn: int | None = None
    required: bool = True


class Key(NamedTuple):
    task_id: TaskId
    sample: int
    requirement: str | None = None
    turn: int | None = None


class Unit(NamedTuple):
    """Identifies a verdict. "" is the set of tests that the setting and the slot imply."""

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

    repository: "owner/name", or a path below the operator's folder of source trees; `commit` is ""
        then.
    withheld: repository paths of files with answers. The image lacks them; each run adds them.
    requires: packages that the tests need in addition to those that the build installs."""

    repository: str
    commit: str
    image: str
    build_command: str
    test_commands: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    report: str = "pytest"


@dataclass(frozen=True, slots=True)
class DryRun:
    """The maximum times of the untouched project's tests. `pause_seconds` is the longest time
    without use of the processor."""

    cpu_seconds: float
    wall_seconds: float
    pause_seconds: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """A project whose image is on this host.

    key: hash of all inputs of the image; the same on every host.
    digest: Docker's id of this host's build.
    shared: the build's digest in the operator's registry, "" if it is not there.
    base: the image that the dataset's image name resolved to.
    root, tree_bytes: the tree's path in a container and its size there in bytes.
    texts: the repository's text files by path as checked out, including withheld ones.
    remains: copies of withheld files and of tests that had to stay in the image.
    hidden: paths of the tests' Python files that no candidate can read.
    dry_run: bounds the limits of runs; None leaves the benchmark's."""

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
    hidden: tuple[str, ...] = ()
    dry_run: DryRun | None = None
    shared: str = ""


class Status(StrEnum):
    """NOT_RUN is an infrastructure fault and never scored."""

    PASSED = "passed"
    FAILED = "failed"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    MEMORY_EXCEEDED = "memory_exceeded"
    OUTPUT_EXCEEDED = "output_exceeded"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Reference:
    """The result of a program that is not a generation: the untouched project, the reference
    solution or a stub. One per task, image and engine version.

    name: ends in a colon and the name of the set if it ran on an additional set of tests.
    passed, tests: sorted ids of the tests that passed, and the number of all tests.
    unsound: why the task cannot be judged by it; "" if it can."""

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
        """The additional set of tests that it covers, or ""."""
        return self.name.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Case:
    """One generation to judge against one set of the task's tests ("": see `Unit`)."""

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
    """Limits of one run. Sizes are bytes. `cpu_seconds` counts all processes of the run, which also
    ends after `wall_factor` times as much wall time, and after `idle_seconds` in which it uses no
    processor time."""

    cpu_seconds: float
    wall_factor: float = 3.0
    memory: int = 512 * 2**20
    output: int = 8 * 2**20
    pids: int = 128
    open_files: int = 256
    idle_seconds: float | None = None

    def stored(self) -> dict[str, float]:
        """Omits limits that are not set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def wall_seconds(self) -> float:
        return self.cpu_seconds * self.wall_factor


@dataclass(frozen=True, slots=True)
class Execution:
    runner: str
    payload: Mapping[str, Json]
    limits: Limits


class Stop(StrEnum):
    CPU = "cpu"
    WALL = "wall"
    IDLE = "idle"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The facts of one run, without judgement.

    exit_code, signal: exactly one is set once the main process has ended.
    died: how the container ended, if the run repeatedly took it down (`pipeline.Judge`). No other
        field is set then.
    pause_seconds: the longest time without use of the processor; measured in projects only.
    delay_seconds: the time in which it waited for a processor that others used. It is part of
        wall_seconds, but does not count against the limit.
    oom_kills: number of processes killed by the memory limit.
    report: the runner's message on its own channel; None if it was not well-formed.
    output: the beginning of stdout and stderr; in projects the end.
    errors: the beginning of stderr; empty in projects, where both streams share one pipe."""

    exit_code: int | None = None
    signal: int | None = None
    stop: Stop | None = None
    died: str | None = None
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    pause_seconds: float = 0.0
    delay_seconds: float = 0.0
    peak_memory_kib: int = 0
    oom_kills: int = 0
    report: Mapping[str, Json] | None = None
    output: str = ""
    errors: str = ""

    @property
    def wall_ms(self) -> int:
        return round(self.wall_seconds * 1000)


@dataclass(frozen=True, slots=True)
class Step:
    execution: Execution
    outcome: Outcome


class Integrity(StrEnum):
    """Whether a pass is trusted. Independent of the status."""

    CLEAN = "clean"
    SUSPECT = "suspect"
    CLEARED = "cleared"
    CONFIRMED = "confirmed"


class Tier(StrEnum):
    """Where a verdict was decided: out of reach of the candidate's code, or in a process or under
    a user that the candidate's code shares. A shared pass was checked, but is not proved."""

    OUTSIDE = "outside"
    SHARED = "shared"


def counts(status: str | None, integrity: str | None) -> bool:
    """Whether this is a pass that counts: one that is neither suspect nor confirmed."""
    return status == Status.PASSED and integrity in (Integrity.CLEAN, Integrity.CLEARED)


class Evidence(NamedTuple):
    """One reason against a pass.

    kind: a word for the way in which it was found, such as "control" or "one_process".
    where: the place: a line, a function, a file, a test; "" if there is none.
    sentence: one English sentence."""

    kind: str
    where: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.where}: {self.sentence}" if self.where else ": ".join(self[::2])


def evidence_text(*entries: Evidence) -> str:
    """The entries as a verdict keeps them: a line each, with tabs between the three parts."""
    lines = (("\t".join(" ".join(part.split()) for part in entry)) for entry in entries)
    return "\n".join(lines)


def printable(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8; a lone surrogate, which no file accepts, becomes "?"."""
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


def evidence_in(text: str) -> tuple[Evidence, ...]:
    """The entries of a verdict on a pass. A line without three parts is the sentence of an entry
    "pass"."""
    parts = (line.split("\t") for line in text.split("\n") if line.strip())
    return tuple(
        Evidence(*entry) if len(entry) == 3 else Evidence("pass", "", " ".join(entry))
        for entry in parts
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of judging a generation against one set of tests. `duration_ms` is the wall time
    of the judged run, `control_ms` that of its controls. `evidence` and `output` are for staff, and
    for the entrant if the benchmark allows it. `evidence` has the entries against a suspect pass
    (`evidence_text`), or says why a generation did not pass. `dependencies` has by kind how many of
    the project's names that the reference solution uses the generation uses, too, and how many
    there are; None if they were not counted."""

    key: Key
    status: Status
    test_set: str = ""
    integrity: Integrity = Integrity.CLEAN
    # The weaker claim by default: a family states what it proves.
    tier: Tier = Tier.SHARED
    tests_passed: int | None = None
    tests_total: int | None = None
    duration_ms: int | None = None
    control_ms: int | None = None
    peak_memory_kib: int | None = None
    flags: tuple[str, ...] = ()
    evidence: str = ""
    output: str = ""
    dependencies: Mapping[str, tuple[int, int]] | None = None

    @property
    def unit(self) -> Unit:
        return Unit(self.key, self.test_set)

    @property
    def passed(self) -> bool:
        return counts(self.status, self.integrity)

    @property
    def open(self) -> bool:
        return self.status is Status.NOT_RUN or (
            self.status is Status.PASSED and self.integrity is Integrity.SUSPECT
        )


@dataclass(frozen=True, slots=True)
class Rating:
    key: Key
    rater: str
    criterion: str
    value: int


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The contribution of one slot of a task: `n` samples, `c` of them correct. Unique by (task,
    metric, category, turn). `open` of the n are unsettled (lost to an infrastructure fault, or
    suspect) and not in `c`. `value` replaces c: a mean over n samples with open ones counted as 0;
    `Metric.conditional` says what `c` counts then. `samples` has the value of each sample, None if
    it is open; empty if it is not known by sample. Results that are not `overall` count only in
    their category and turn."""

    task_id: TaskId
    metric: str
    n: int
    c: int
    open: int = 0
    category: str | None = None
    turn: int | None = None
    overall: bool = True
    value: float | None = None
    samples: tuple[float | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Score:
    """A metric over one slice. `value` is None if undefined, and in 0..1 except for counts.
    `low`..`high` is the 95 % interval over clusters. `n` counts the units averaged. While results
    are open, value and interval are None, and `bounds` is the least and the greatest possible
    value. `errors` has the parts of the standard error from the tasks and from run to run.
    `defined` is the number of turns that had something to measure, for metrics that report it."""

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
    errors: tuple[float, float] | None = None
    defined: int | None = None


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
