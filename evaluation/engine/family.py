"""What a benchmark family is: records of functions that the engine calls.

A family says how its files are read and how its generations are judged. What it
does not need it leaves out. The seven families are walked through these functions
in docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

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
    """A fixed program whose verdict is known; it rides in every batch."""

    case: Case
    passes: bool


@dataclass(frozen=True, slots=True)
class References:
    """Programs that are judged once per task and image, before any generation.

    names: in the order in which they are run; each may look at those before it.
    plan(task, prepared, known, name) -> the execution, or None where the task has no such
        reference or those before it make it pointless. Equal executions of one name are run once.
    judge(task, prepared, known, name, outcome) -> the reference. Pure.
    """

    names: tuple[str, ...]
    plan: Callable[[Task, Prepared, Mapping[str, Reference], str], Execution | None]
    judge: Callable[[Task, Prepared, Mapping[str, Reference], str, Outcome], Reference]


@dataclass(frozen=True, slots=True)
class InProjects:
    """What a family has whose generations are judged inside real projects.

    project(task) -> the task's project, `withheld` and `test_commands` being the task's own;
        those of tasks that share a project are joined before it is prepared.
    unfit(task, prepared) -> why the task does not fit the project's sources; "" where it does.
    canaries(task, prepared, references) -> for a sound task of the batch's image: a generation
        that passes and one that does not.
    """

    project: Callable[[Task], Project]
    unfit: Callable[[Task, Prepared], str]
    references: References
    canaries: Callable[[Task, Prepared, Mapping[str, Reference]], tuple[Canary, ...]]


@dataclass(frozen=True, slots=True)
class Plain:
    """What of a verdict says nothing but what the generation's own text says: its team is told
    of it, whatever of the benchmark is hidden.

    flags: repairs of the text, say. statuses: those whose evidence came to be before anything
    of the generation ran or met a test.
    """

    flags: frozenset[str] = frozenset()
    statuses: frozenset[Status] = frozenset()


@dataclass(frozen=True, slots=True)
class ByExecution:
    """Judged by running it.

    plan(case, limits) -> the first execution, or a Verdict
        where nothing needs to run (an empty file, say).
    proceed(case, steps) -> the next execution, None when
        enough has been seen. Absent: one execution is always enough.
    judge(case, steps) -> the verdict. Pure: the same steps
        give the same verdict.
    image: the sandbox image that executions run in (a name of sandbox.images).
    canaries: the first passes, the second does not; more may follow. None where the projects'
        own ride along.
    runners: those that its executions name, and no others.
    warm: modules that are imported before candidates' processes are forked.
    near(case, outcome, limits) -> whether a run is to be decided by a repeat alone on the host.
        Absent: where it ended close to its limit.
    projects: where generations are judged inside prepared projects, each run in a container
        of its own; `image` then names the queue alone.
    batch_seconds: after so long a batch is closed, and its verdicts count.
    plain: what of its verdicts hides nothing.
    test_sets(task, key, setting) -> every set of tests that the code of a slot is judged by, each
        by itself: "" is the one that setting and slot imply. Absent: that one alone.
    limits_by: by setting, where these are others than `limits`.
    """

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

    def limits_in(self, setting: str) -> Limits:
        return self.limits_by.get(setting, self.limits)

    def sets_of(self, task: Task, key: Key, setting: str) -> tuple[str, ...]:
        """The sets of tests that a generation is judged by, "" for the one that it implies."""
        return ("",) if self.test_sets is None else self.test_sets(task, key, setting)

    def cases_of(self, task: Task, generation: Generation, setting: str) -> list[Case]:
        """What is to be judged of a generation: a case for each of its sets of tests."""
        sets = self.sets_of(task, generation.key, setting)
        return [Case(task, generation, setting, test_set) for test_set in sets]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How often and in what manner a model is asked; None leaves a parameter to the endpoint."""

    samples: int = 1
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    repetition_penalty: float | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """What is said to a model in one setting, whose course is fixed, and in one wording.

    asked(task) -> the requirements asked for, in order, None being the prompt by itself.
    before(task, requirement) -> those whose answers have to be there first, in order.
    messages(task, requirement, answers) -> what is sent, given these answers; chat endpoints'
        messages. Raises BenchmarkError where the task lacks what its prompt shows.
    """

    asked: Callable[[Task], Sequence[str | None]]
    before: Callable[[Task, str | None], Sequence[str | None]]
    messages: Callable[[Task, str | None, Sequence[str]], list[dict[str, str]]]


class Cue(NamedTuple):
    """What the next message of a dynamic conversation is about: an instruction, or None for
    the prompt. `opening` while none was picked yet; a `retry` tells `error`, which may be ""."""

    name: str | None
    opening: bool = False
    retry: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Talks:
    """Conversations that go on by what the code of each turn passed.

    instructions(task) -> what a conversation is about, in order, without the prompt.
    say(task, cue) -> the next message.
    test_set(name) -> the `Case.test_set` of an instruction's own tests, None being the prompt's.
    limits: of judging one turn against one instruction.
    """

    instructions: Callable[[Task], tuple[str, ...]]
    say: Callable[[Task, Cue], str]
    test_set: Callable[[str | None], str]
    limits: Limits


class Turn(NamedTuple):
    """What was asked, and the answer, both as they were said."""

    asked: str
    answer: str


@dataclass(frozen=True, slots=True)
class Held:
    """What transcripts come to once their turns are judged: how those that do not keep to the
    rules depart from them, a sentence by task; and what each task contributes."""

    departures: Mapping[TaskId, str]
    results: Sequence[TaskResult]


@dataclass(frozen=True, slots=True)
class Transcripts:
    """Finished conversations that went on by what the code of each turn passed.

    setting: the one in which predictions are transcripts; a generation is a turn, counted from 1.
    metric: by which that setting's boards are ordered; metrics: all that it has.
    turns(messages) -> the turns. Raises ValueError in words for who supplied the messages.
    misfit(task, turns) -> what no verdict can make right, in words; "" where there is nothing.
    held(tasks, asked, verdicts) -> the transcripts held against the rules. `asked` are the
        messages by the key of the generation that answers them. What is not judged, or may yet
        be judged otherwise, is never held against a transcript.
    worded(prompts) -> the same, which takes conversations in a prompts file's wording too. Raises
        BenchmarkError where it is none.
    """

    setting: str
    metric: str
    metrics: tuple[Metric, ...]
    turns: Callable[[Any], Sequence[Turn]]
    misfit: Callable[[Task, Sequence[Turn]], str]
    held: Callable[[Sequence[Task], Mapping[Key, str], Sequence[Verdict]], Held]
    worded: Callable[[Json], Transcripts]


@dataclass(frozen=True, slots=True)
class Asking:
    """How models are asked for generations.

    script(prompts, setting, history) and talks(prompts) -> what is said, `prompts` being the
        JSON value of a prompts file, or None for the wording that the family itself has.
        Both raise BenchmarkError where the file is none. Without `talks` there are no dynamic
        conversations.
    in_tasks: whether the tasks bring their prompts along, so that there is no prompts file.
    questions(tasks_path) -> the tasks of a file that has no answers; they are asked and cannot
        be judged. Absent: `load_tasks` does without answers.
    """

    sampling: Sampling
    script: Callable[[Json, str, str], Script]
    talks: Callable[[Json], Talks] | None = None
    in_tasks: bool = False
    questions: Callable[[Path], tuple[Task, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """A scale of human rating: marks from 1 to `top`.

    `anchors` say what each mark means, that of 1 first: English sentences, which pages translate.
    """

    name: str
    top: int
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ByPeople:
    """Judged by annotators on the criteria's scales.

    results(tasks, generations, ratings, outcomes) -> for each task and criterion what the task
        contributes. `generations` are all that there are, rated or not; `ratings` are what raters
        gave by themselves, `outcomes` what was settled where these lay too far apart.
    """

    criteria: tuple[Criterion, ...]
    results: Callable[
        [Sequence[Task], Sequence[Key], Sequence[Rating], Sequence[Rating]], list[TaskResult]
    ]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric whose results are values rather than counts: it is reported under its own name.

    `summed` is for what is counted over tasks, such as how many there are; others are means.
    `better` says which way it is read: of what is forgotten, less is better. Of a `paired` one
    turns are averaged in pairs first, as metrics.turn_pairs has it. A `variant` of another is
    told with a result's details, and has no column on boards.
    """

    name: str
    summed: bool = False
    better: Literal["higher", "lower"] = "higher"
    paired: bool = False
    variant: bool = False


def no_results(
    _tasks: Sequence[Task], _setting: str, _verdicts: Sequence[Verdict]
) -> list[TaskResult]:
    """What verdicts come to where people judge and there are none."""
    return []


@dataclass(frozen=True, slots=True)
class Family:
    """A benchmark family.

    load_tasks(tasks_path, answers_path) raises BenchmarkError with every problem
        that it found; answers_path is None where none was given.
    slots(task, setting): the places for generations; a submitted line that fits
        none of them is an error.
    results(tasks, setting, verdicts): one TaskResult for each required slot, filled
        or not (missing generations are wrong ones), and for filled optional ones. Absent where
        people judge: results are then `ByPeople.results`.
    reference_results(tasks, references by task) -> what the references contribute to the
        scores. Absent: nothing.
    kit(tasks_path) -> what all tasks of the files share, packed as their runner takes it: it is
        sent to each sandbox when that is opened. Raises BenchmarkError. Absent: nothing.
    member(name) -> the task whose prediction a file of this name in a zip is, None where it is
        none. Absent: predictions are records, never a file each.
    ks: the k of pass@k that the family reports.
    metrics: those that are no pass@k: how each is put together.
    begins: settings whose conversations begin with the generations of another one: these are
        their turn 0, wherever they come from.
    asking: how models are asked. Absent: predictions have to come from elsewhere.
    transcripts: the setting whose predictions are conversations. Absent: there is none.
    """

    slug: str
    title: str
    settings: tuple[str, ...]
    load_tasks: Callable[[Path, Path | None], tuple[Task, ...]]
    slots: Callable[[Task, str], Sequence[Slot]]
    judged: ByExecution | ByPeople
    results: Callable[[Sequence[Task], str, Sequence[Verdict]], list[TaskResult]] = no_results
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
    asking: Asking | None = None
    transcripts: Transcripts | None = None

    def transcripts_in(self, setting: str, prompts: Json = None) -> Transcripts | None:
        """How predictions in the setting are read where they are transcripts, whose messages may
        be worded by this value of a prompts file. Raises BenchmarkError where it is none."""
        found = self.transcripts
        if found is None or found.setting != setting:
            return None
        return found if prompts is None else found.worded(prompts)

    def metrics_in(self, setting: str) -> tuple[Metric, ...]:
        """Those of the setting that are no pass@k."""
        found = self.transcripts_in(setting)
        return self.metrics if found is None else found.metrics
