"""A benchmark family: records of functions that the engine calls. docs/architecture.md follows the
families through these functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from evaluation.engine.compiler_messages import Program
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Json,
    Key,
    Limits,
    Outcome,
    Prepared,
    Project,
    Rating,
    Reference,
    Slot,
    Status,
    Step,
    Task,
    TaskId,
    TaskResult,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Canary:
    """A fixed program whose verdict is known. It runs in every batch."""

    case: Case
    passes: bool


@dataclass(frozen=True, slots=True)
class References:
    """Programs that are judged once per task and image, before any generation.

    names: in the order in which they run; each may use the results of the earlier ones.
    plan(task, prepared, references, name) -> the execution, or None if the task needs no such
        reference. Equal executions of one name run once.
    judge(task, prepared, references, name, outcome) -> the reference. Pure."""

    names: tuple[str, ...]
    plan: Callable[[Task, Prepared, Mapping[str, Reference], str], Execution | None]
    judge: Callable[[Task, Prepared, Mapping[str, Reference], str, Outcome], Reference]


@dataclass(frozen=True, slots=True)
class InProjects:
    """Functions of a family whose generations are judged inside real projects.

    project(task) -> the project with the task's own `withheld` and `test_commands`; the engine
        merges those of tasks that share a project.
    unfit(task, prepared) -> why the task does not fit the project's sources, or "".
    canaries(task, prepared, references) -> one that passes and one that fails, for a sound task."""

    project: Callable[[Task], Project]
    unfit: Callable[[Task, Prepared], str]
    references: References
    canaries: Callable[[Task, Prepared, Mapping[str, Reference]], tuple[Canary, ...]]


@dataclass(frozen=True, slots=True)
class Plain:
    """Verdict details that derive from the submission only, so entrants may always see them.

    flags: for example repairs of the text.
    statuses: those whose evidence exists before the generation runs or meets a test, such as a
        compiler's message."""

    flags: frozenset[str] = frozenset()
    statuses: frozenset[Status] = frozenset()


# For families with `program`.
COMPILED = Plain(statuses=frozenset({Status.COMPILE_ERROR}))


class Measure(NamedTuple):
    """A measurement of generations beside their tests, which runs nothing of theirs: for a whole
    batch in one execution. Values are counts by name: (reached, of how many).

    plan(cases) -> the execution, or None if there is nothing to measure.
    read(cases, outcome) -> the values of each case, None where nothing is measured. Raises
        ValueError if the outcome has no values, which is a fault of the infrastructure."""

    plan: Callable[[Sequence[Case]], Execution | None]
    read: Callable[[Sequence[Case], Outcome], Sequence[Mapping[str, tuple[int, int]] | None]]


@dataclass(frozen=True, slots=True)
class ByExecution:
    """A generation is judged by running it. `steps` are oldest first.

    plan(case, limits) -> the first execution, or a Verdict if nothing needs to run.
    proceed(case, steps) -> the next execution, or None if the steps are enough.
    judge(case, steps) -> the verdict. Pure: the same steps give the same verdict.
    image: the sandbox image (a name in sandbox.images); with `projects` it only names the queue.
    canaries: the first passes, the second fails. Empty if projects have their own.
    runners: the modules of sandbox.inside that its executions name.
    projects: how it is judged inside real projects. Absent: nothing is.
    plain: what teams see of a verdict where entrants see no output.
    limits_by: the limits of settings that differ from `limits`.
    warm: modules to import before candidates' processes are forked.
    near(case, outcome, limits) -> whether to repeat the run with exclusive use of the host. Absent:
        repeat it if it ended close to its limit.
    batch_seconds: seconds after which a batch accepts no further case.
    test_sets(task, key, setting) -> the sets of tests to judge a slot's code by, one verdict each.
        "" is the set that the setting and the slot imply. Absent: only that one.
    extracted(task, generation, setting) -> the part of the text that is judged, for its authors.
        It derives from the text and the task's public part only. Absent: the whole text.
    rule: how `extracted` finds that part, in a sentence for the text's authors.
    program(case, steps) -> the Python program whose compiler's message is the evidence of a compile
        error.
    measure: fills `Verdict.dependencies`."""

    image: str
    limits: Limits
    canaries: tuple[Canary, ...]
    plan: Callable[[Case, Limits], Execution | Verdict]
    judge: Callable[[Case, Sequence[Step]], Verdict]
    proceed: Callable[[Case, Sequence[Step]], Execution | None] | None = None
    runners: tuple[str, ...] = ("calls", "script", "standins")
    warm: tuple[str, ...] = ()
    near: Callable[[Case, Outcome, Limits], bool] | None = None
    projects: InProjects | None = None
    batch_seconds: float = 5.0
    plain: Plain = Plain()
    test_sets: Callable[[Task, Key, str], tuple[str, ...]] | None = None
    limits_by: Mapping[str, Limits] = field(default_factory=dict)
    extracted: Callable[[Task, Generation, str], str] = lambda _task, generation, _: generation.text
    rule: str = ""
    program: Callable[[Case, Sequence[Step]], Program | None] = lambda _case, _steps: None
    measure: Measure | None = None

    def limits_in(self, setting: str) -> Limits:
        return self.limits_by.get(setting, self.limits)

    def sets_of(self, task: Task, key: Key, setting: str) -> tuple[str, ...]:
        return ("",) if self.test_sets is None else self.test_sets(task, key, setting)

    def cases_of(self, task: Task, generation: Generation, setting: str) -> list[Case]:
        sets = self.sets_of(task, generation.key, setting)
        return [Case(task, generation, setting, test_set) for test_set in sets]


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters for a model. None leaves a parameter to the endpoint."""

    samples: int = 1
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    repetition_penalty: float | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """The messages of one setting with a fixed course, in one wording. None is the prompt itself.

    asked(task) -> the requirements to ask for, in order.
    before(task, requirement) -> the requirements that must be answered first, in order.
    messages(task, requirement, answers) -> the chat messages. Raises BenchmarkError if the task
        lacks a field that its prompt shows."""

    asked: Callable[[Task], Sequence[str | None]]
    before: Callable[[Task, str | None], Sequence[str | None]]
    messages: Callable[[Task, str | None, Sequence[str]], list[dict[str, str]]]


class Cue(NamedTuple):
    """The subject of the next message: an instruction, or None for the prompt. `opening` is true
    until an instruction is picked. `error` belongs to a `retry` and may be ""."""

    name: str | None
    opening: bool = False
    retry: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Talks:
    """Conversations whose course depends on the tests that each turn's code passes.

    instructions(task) -> the instructions in order, without the prompt.
    test_set(name) -> the `Case.test_set` of an instruction's own tests; None means the prompt's.
    limits: for judging one turn against one instruction."""

    instructions: Callable[[Task], tuple[str, ...]]
    say: Callable[[Task, Cue], str]
    test_set: Callable[[str | None], str]
    limits: Limits


class Turn(NamedTuple):
    """One message to the model and its answer, both verbatim."""

    asked: str
    answer: str


@dataclass(frozen=True, slots=True)
class Held:
    """The result of checking judged transcripts against the rules. `departures` has a sentence for
    each task whose transcript breaks the rules; `results` are those of the other tasks."""

    departures: Mapping[TaskId, str]
    results: Sequence[TaskResult]


@dataclass(frozen=True, slots=True)
class Transcripts:
    """Finished dynamic conversations that are submitted as predictions.

    setting: its generations are turns, counted from 1.
    metric: orders that setting's boards.
    turns(messages) -> the turns. Raises ValueError with a message for the submitter.
    misfit(task, turns) -> a fault that no verdict can repair, in words; "" if there is none.
    held(tasks, asked, verdicts) -> the check against the rules. `asked` has the messages by the key
        of their answer. A missing or open verdict never counts against a transcript.
    worded(prompts) -> a copy that also accepts the wording of a prompts file. Raises
        BenchmarkError."""

    setting: str
    metric: str
    metrics: "tuple[Metric, ...]"
    turns: Callable[[Any], Sequence[Turn]]
    misfit: Callable[[Task, Sequence[Turn]], str]
    held: Callable[[Sequence[Task], Mapping[Key, str], Sequence[Verdict]], Held]
    worded: "Callable[[Json], Transcripts]"


@dataclass(frozen=True, slots=True)
class Asking:
    """How models are asked for generations.

    script(prompts, setting, history), talks(prompts) -> the messages. `prompts` is the JSON value
        of a prompts file, or None for the family's own wording. Both raise BenchmarkError.
    in_tasks: whether the tasks contain their prompts, so that there is no prompts file.
    questions(tasks_path) -> tasks of a file without answers, which can be asked but not judged."""

    sampling: Sampling
    script: Callable[[Json, str, str], Script]
    talks: Callable[[Json], Talks] | None = None
    in_tasks: bool = False
    questions: Callable[[Path], tuple[Task, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """A scale of human rating, with marks from 1 to `top`. `anchors` describe the marks from 1 up,
    `short` in a few words."""

    name: str
    top: int
    anchors: tuple[str, ...] = ()
    short: tuple[str, ...] = ()


class Explained(NamedTuple):
    mark: int
    reason: str


@dataclass(frozen=True, slots=True)
class Practice:
    """An answer with an explained mark on each scale. `task` is like a task's public part."""

    task: Mapping[str, Json]
    language: str
    text: str
    marks: Mapping[str, Explained]


@dataclass(frozen=True, slots=True)
class ByPeople:
    """Annotators judge a generation on the criteria's scales.

    results(tasks, generations, ratings, outcomes) -> each task's contribution per criterion.
        `generations` are all keys, rated or not; `outcomes` are the adjudicated marks.
    practice: what annotators may try the scales on."""

    criteria: tuple[Criterion, ...]
    results: Callable[
        [Sequence[Task], Sequence[Key], Sequence[Rating], Sequence[Rating]], list[TaskResult]
    ]
    practice: tuple[Practice, ...] = ()


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with values instead of counts, reported under its own name.

    summed: add the values over tasks instead of averaging them.
    paired: average turns in pairs first, as in metrics.conversations.in_pairs.
    conditional: a result's `c` counts the samples that had something to measure; elsewhere its
        value is 0.
    variant: a variant of another metric; shown in a result's details and not on boards.
    of_tests: a task's value reveals how many of its tests passed, which boards hide if the tests
        are hidden.
    by_turn: it has a score at each turn of a conversation.
    words: the name written out, marked for translation; "" if the name says it."""

    name: str
    summed: bool = False
    better: Literal["higher", "lower"] = "higher"
    paired: bool = False
    variant: bool = False
    conditional: bool = False
    of_tests: bool = False
    by_turn: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class Clusters:
    """A group of similar tasks, the outermost one that the tasks share: intervals and comparisons
    count clusters. `of(task)` returns the cluster's name, from the task's public part."""

    noun: Literal["repository", "project"]
    of: Callable[[Task], str]


@dataclass(frozen=True, slots=True)
class Family:
    """A benchmark family.

    load_tasks(tasks_path, answers_path) -> the tasks. Raises BenchmarkError with every problem.
    slots(task, setting) -> the slots; a submitted line that fits none of them is an error.
    results(tasks, setting, verdicts) -> a TaskResult for each required slot (missing generations
        are wrong) and each filled optional one. Not used if people judge: see `ByPeople`.
    reference_results(tasks, references by task) -> the references' contribution to the scores.
    kit(tasks_path) -> data that all tasks share, packed for their runner. Raises BenchmarkError.
    member(name) -> the task that a file of this name in a zip predicts, or None.
    ks: the k of pass@k that the family reports.
    metrics: the metrics other than pass@k.
    slices: the attributes that scores are broken down by.
    code(task, text) -> the part of a generation that is judged, to compare generations by.
    solutions(task) -> the hidden reference in each form in which `code` may give it. Empty if the
        benchmark has none.
    begins: maps a setting to the setting whose generations are turn 0 of its conversations.
    folders: maps the authors' names of files and folders to settings, where they differ.
    clusters: the groups of related tasks. None: each task is its own.
    asking: how models are asked. None: `generate` and runs at endpoints do not know the family.
    transcripts: predictions that are conversations which depend on passed tests.
    flags: words for the flags of its verdicts, marked for translation."""

    slug: str
    title: str
    settings: tuple[str, ...]
    load_tasks: Callable[[Path, Path | None], tuple[Task, ...]]
    judged: ByExecution | ByPeople
    slots: Callable[[Task, str], Sequence[Slot]] = lambda _task, _setting: (Slot(),)
    results: Callable[[Sequence[Task], str, Sequence[Verdict]], list[TaskResult]] = (
        lambda _tasks, _setting, _verdicts: []
    )
    reference_results: (
        Callable[[Sequence[Task], Mapping[TaskId, Mapping[str, Reference]]], list[TaskResult]]
        | None
    ) = None
    kit: Callable[[Path], bytes] | None = None
    member: Callable[[str], TaskId | None] | None = None
    ks: tuple[int, ...] = (1,)
    metrics: tuple[Metric, ...] = ()
    slices: tuple[str, ...] = ()
    begins: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    asking: Asking | None = None
    transcripts: Transcripts | None = None
    clusters: Clusters | None = None
    flags: Mapping[str, str] = field(default_factory=dict)
    code: Callable[[Task, str], str] = lambda _task, text: text
    solutions: Callable[[Task], Sequence[str]] = lambda _task: ()

    @property
    def is_rated(self) -> bool:
        return isinstance(self.judged, ByPeople)

    def by_execution(self) -> ByExecution:
        """How generations are run and judged. Raises BenchmarkError if people judge them."""
        if isinstance(self.judged, ByPeople):
            raise BenchmarkError(f"{self.slug} is rated by people, so nothing is run.")
        return self.judged

    def transcripts_in(self, setting: str, prompts: Json = None) -> Transcripts | None:
        """Returns None if the setting's predictions are not transcripts. Raises BenchmarkError if
        `prompts` is not the value of a prompts file."""
        transcripts = self.transcripts
        if transcripts is None or transcripts.setting != setting:
            return None
        return transcripts if prompts is None else transcripts.worded(prompts)

    def metrics_in(self, setting: str) -> tuple[Metric, ...]:
        transcripts = self.transcripts_in(setting)
        return self.metrics if transcripts is None else transcripts.metrics
