"""Reads of boards, tasks and entrants, limited to what the reader may see; never TaskHidden."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    Count,
    Exists,
    FloatField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)

from evaluation.engine.family import ByPeople
from evaluation.engine.records import Integrity, counts
from evaluation.engine.registry import FAMILIES
from evaluation.models import Verdict
from leaderboard.accounts.models import Entrant, Person
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.scores.models import Board, Standing, TaskResult, TaskStatistics, shown_in
from leaderboard.scores.showings import RATE, counted_results
from leaderboard.submissions.bases import may_be_copy
from leaderboard.submissions.models import (
    Consent,
    Declaration,
    LedgerEntry,
    Submission,
    UploadState,
    Visibility,
)

_SHOWN_IN_NEWS = (
    *("board", "evaluation", "replaced", "has_results", "rank_low", "rank_high"),
    *("submission__published", "submission__entrant__shown_name"),
)
# Columns of boards that few pages need.
_LARGE = ("swaps", "pairs", "facts")


class Languages(NamedTuple):
    """The number of tasks in a programming language with instructions in a natural one."""

    language: str
    natural_language: str
    tasks: int


class ShownEntrant(NamedTuple):
    pk: int
    team_id: int
    shown_name: str
    slug: str
    organisation: str
    parameters: float | None
    weights: str
    organisation_confirmed: bool = False


def published(user: Person) -> QuerySet[Submission]:
    """The published submissions that this user may see; boards show no private results."""
    return Submission.objects.visible_to(user).filter(visibility=Visibility.PUBLISHED)


def scales_of(benchmark: Benchmark) -> dict[str, int]:
    """The best mark on each rating scale, by metric; empty if code is run."""
    family = FAMILIES.get(benchmark.family_slug)
    judged = family.judged if family else None
    return {c.name: c.top for c in judged.criteria} if isinstance(judged, ByPeople) else {}


def benchmark_list(user: Person) -> QuerySet[Benchmark]:
    """Benchmarks with a current revision."""
    visible = Benchmark.objects.visible_to(user).filter(current__isnull=False)
    return visible.select_related("current")


def languages_of(revisions: Iterable[int | None]) -> Mapping[int, list[Languages]]:
    """By revision."""
    columns = ("language", "natural_language")
    tasks = Task.objects.filter(revision__in=list(filter(None, revisions)))
    counts = tasks.values("revision", *columns).annotate(tasks=Count("pk"))
    languages: dict[int, list[Languages]] = defaultdict(list)
    for row in map(dict[str, Any], counts.order_by("-tasks", *columns)):
        languages[row.pop("revision")].append(Languages(**row))
    return languages


def current_boards(benchmarks: Iterable[Benchmark], *, tests: bool = False) -> list[Board]:
    """The boards of the current revisions of benchmarks, which have these loaded. `tests`: with
    facts and p-values, up to a megabyte."""
    revisions = {}
    for benchmark in benchmarks:
        if revision := benchmark.current:
            # Not joined: on each page the same wide rows would be read twice.
            revision.benchmark = benchmark
            revisions[revision.pk] = revision
    boards = Board.objects.filter(revision__in=[*revisions])
    ordered = boards.order_by("revision__benchmark__title", "setting")
    every = list(ordered.defer(*(_LARGE[:1] if tests else _LARGE)))
    for board in every:
        board.revision = revisions[board.revision_id]
    return every


def ranks_by_own_metric(board: Board) -> bool:
    """Whether the board ranks by the benchmark's metric for the setting."""
    return board.metric == board.revision.benchmark.metric_in(board.setting)


def shown_on(boards: Iterable[Board]) -> QuerySet[Standing]:
    """The rows of published submissions, without a check of the user, which would take several
    times as long: the caller passes only boards of benchmarks that the user may browse."""
    return Standing.objects.filter(
        board__in=[board.pk for board in boards], submission__visibility=Visibility.PUBLISHED
    )


@dataclass(frozen=True, slots=True)
class Ledger:
    """How many submissions a team had judged for a board, and how many of them are published; how
    many runs it declared, never uploaded (`unused`) and withdrew."""

    judged: int
    published: int
    declared: int = 0
    unused: int = 0
    withdrawn: int = 0

    @property
    def unpublished(self) -> bool:
        """Whether the team had more judged than it published."""
        return self.judged > self.published


def ledgers_of(revision: Revision, setting: str) -> dict[int | None, Ledger]:
    """The ledgers by team. Two queries."""
    public = Count("pk", filter=Q(submission__visibility=Visibility.PUBLISHED))
    runs = LedgerEntry.objects.filter(revision=revision, setting=setting).order_by()
    live = Q(upload__isnull=False) & ~Q(upload__state__in=UploadState.unused())
    declarations = Declaration.objects.filter(revision=revision, setting=setting).order_by()
    counts = declarations.values("team").annotate(
        all=Count("pk"),
        unused=Count("pk", filter=Q(evaluated=None, withdrawn=None) & ~live),
        gone=Count("pk", filter=Q(withdrawn__isnull=False)),
    )
    declared: dict[int, Mapping[str, Any]] = {row["team"]: row for row in counts}
    nothing = dict.fromkeys(("all", "unused", "gone"), 0)
    ledgers: dict[int | None, Ledger] = {}
    for row in runs.values("team").annotate(judged=Count("pk"), public=public):
        of_team = declared.get(row["team"] or 0, nothing)
        ledgers[row["team"]] = Ledger(
            judged=row["judged"],
            published=row["public"],
            declared=of_team["all"],
            unused=of_team["unused"],
            withdrawn=of_team["gone"],
        )
    return ledgers


def reviewed_passes(board: Board) -> int:
    """The number of the board's shared passes that staff have looked at and that count: those found
    fine, and suspects that staff cleared."""
    looked_at = Q(review__fine=True) | Q(integrity=Integrity.CLEARED.value)
    evaluations = shown_on([board]).values("evaluation")
    return Verdict.objects.shared_passes().filter(looked_at, evaluation__in=evaluations).count()


def latest_standings(boards: Iterable[Board], most: int) -> list[Standing]:
    """Newest first. `boards` as in `shown_on`."""
    by_key = {board.pk: board for board in boards}
    rows = shown_on(by_key.values()).filter(submission__published__isnull=False)
    rows = rows.select_related("submission__entrant").only(*_SHOWN_IN_NEWS)
    standings = list(rows.order_by("-submission__published", "-pk")[:most])
    for standing in standings:
        standing.board = by_key[standing.board_id]
    return standings


def site_counts(user: Person) -> dict[str, int]:
    """The numbers of entrants, results and generations on boards."""
    shown = published(user).filter(Exists(Standing.objects.filter(submission=OuterRef("pk"))))
    return shown.aggregate(
        entrants=Count("entrant", distinct=True),
        results=Count("pk"),
        generations=Sum("generations_count", default=0),
    )


def with_solve_rates(tasks: QuerySet[Task], board: Board | None) -> QuerySet[Task]:
    """Annotates `solve_rate`: the mean of c/n over the board's settled results, 0..1 or None."""
    if board is None:
        return tasks.annotate(solve_rate=Value(None, output_field=FloatField()))
    if board.made == board.wanted:
        stored = TaskStatistics.objects.filter(board=board, task=OuterRef("pk"))
        return tasks.annotate(solve_rate=Subquery(stored.values("rate")))
    # A result may have left the board since it was made.
    counted = counted_results(board).filter(task=OuterRef("pk")).order_by().values("task")
    return tasks.annotate(solve_rate=Subquery(counted.annotate(rate=RATE).values("rate")))


def standings_page(board: Board | None, user: Person) -> QuerySet[Standing]:
    """The rows in the board's order, with the names of their entrants."""
    if board is None:
        return Standing.objects.none()
    rows = Standing.objects.visible_to(user).select_related("submission__entrant")
    return rows.filter(board=board).only("board", "evaluation", "submission__entrant__shown_name")


def matching_tasks(benchmarks: QuerySet[Benchmark], text: str) -> QuerySet[Task]:
    """The tasks of current revisions that have the text in their id, the name of their project, or
    their title. First the one with this id, then those whose id begins with the text."""
    matches = Q(external_id__icontains=text) | Q(domain__icontains=text) | Q(title__icontains=text)
    distance = Case(
        When(external_id__iexact=text, then=0),
        When(external_id__istartswith=text, then=1),
        default=2,
    )
    tasks = Task.objects.filter(matches, revision__in=benchmarks.values("current"))
    in_order = tasks.order_by(distance, "revision__benchmark__title", "number")
    return in_order.select_related("revision__benchmark").defer("public")


def statistics_of(tasks: Iterable[Task], board: Board | None) -> dict[int, TaskStatistics]:
    """By task, as computed when the board was made."""
    rows = TaskStatistics.objects.filter(board=board, task__in=list(tasks))
    return {row.task_id: row for row in rows}


def levels_of(revision: Revision) -> tuple[list[str], list[str]]:
    """The levels and the categories of the revision's tasks, without empty ones."""
    rows = list(revision.tasks.values("level", "category").distinct().order_by())
    levels, categories = ({row[name] for row in rows} - {""} for name in ("level", "category"))
    return sorted(levels), sorted(categories)


def task_results(
    task: Task, standings: Iterable[Standing], metric: str
) -> dict[int, tuple[int, int]]:
    """By evaluation: the numbers of the task's correct generations and of all its generations."""
    results = shown_in(TaskResult.with_replaced.all(), list(standings))
    of_task = results.filter(task=task, metric=metric, overall=True).order_by()
    sums = of_task.values_list("evaluation").annotate(c=Sum("c"), n=Sum("n"))
    return {evaluation: (c, n) for evaluation, c, n in sums}


def task_marks(task: Task, standings: Iterable[Standing]) -> dict[int, list[Mapping[str, str]]]:
    """By evaluation: status and integrity of the task's verdicts, in the order of turn, requirement
    and sample."""
    marks: dict[int, list[Mapping[str, str]]] = defaultdict(list)
    rows = _task_verdicts(task, list(standings))
    for evaluation, status, integrity in rows.values_list("evaluation", "status", "integrity"):
        marks[evaluation].append({"status": status, "integrity": integrity})
    return marks


def _task_verdicts(task: Task, standings: list[Standing]) -> QuerySet[Verdict]:
    """In the order of turn, requirement and sample."""
    verdicts = Verdict.objects.of_generations().filter(
        # Lets the database use the index on submission and task.
        generation__submission__in=[standing.submission_id for standing in standings],
        generation__task=task,
        evaluation__in=[standing.evaluation_id for standing in standings],
    )
    return verdicts.order_by(*(f"generation__{n}" for n in ("turn", "requirement", "sample")))


def consents_of(standings: Iterable[Standing], user: Person) -> dict[int, Consent]:
    """By submission: the consents under which everyone may read generations."""
    consents = Consent.objects.filter(submission__in=[row.submission_id for row in standings])
    if not consents:  # As on most pages; `visible_to` joins a dozen tables.
        return {}
    in_force = Consent.objects.visible_to(user).filter(pk__in=[row.pk for row in consents])
    related = ("submission__entrant__team", "submission__revision__benchmark")
    return {row.submission_id: row for row in in_force.select_related(*related)}


def shown_answers(
    task: Task, standings: Iterable[Standing], consents: Mapping[int, Consent]
) -> list[int]:
    """The generations (primary keys) of the task that everyone may read: the first wrong and the
    first right one of each submission."""
    first: dict[tuple[int, bool], int] = {}
    rows = _task_verdicts(task, [row for row in standings if row.submission_id in consents])
    of_generation = ("generation", "generation__submission", "generation__turn")
    for pk, key, turn, *status in rows.values_list(*of_generation, "status", "integrity"):
        if not may_be_copy(turn, consents[key].submission):
            first.setdefault((key, counts(*status)), pk)
    return [*first.values()]


def entrant_list(user: Person) -> QuerySet[Entrant]:
    """Entrants, annotated with `results_count` and `latest` of their published results."""
    shown = Q(submissions__in=published(user), submissions__standings__isnull=False)
    return Entrant.objects.visible_to(user).annotate(
        results_count=Count("submissions", filter=shown, distinct=True),
        latest=Max("submissions__published", filter=shown),
    )
