"""The page of a submission, with its progress, its results and its live part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.progress import Progress, progress
from leaderboard.benchmarks.models import Benchmark, ShownTask, Task
from leaderboard.boards.scores import in_order
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import reference_words, setting_words, slice_name, slice_value
from leaderboard.pages.shared.citing import Citation
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.crumbs import Crumb, entrant_crumbs
from leaderboard.pages.shared.record import context_of
from leaderboard.pages.submissions.forms import PublishForm
from leaderboard.pages.submissions.provenance import Fact, facts
from leaderboard.pages.submissions.views.changes import Changes, changes
from leaderboard.pages.submissions.views.conversations import Talk, talk_of
from leaderboard.pages.submissions.views.groups import BY_NAME, GROUPS, Group
from leaderboard.pages.submissions.views.live import LivePart, answer, name_of, version_on_page
from leaderboard.pages.submissions.views.rated import (
    MeanLine,
    Rated,
    mean_lines,
    rated_of,
    rated_steps,
)
from leaderboard.pages.submissions.views.results import (
    MISSING,
    TaskRow,
    results_page,
    without_generations,
)
from leaderboard.pages.submissions.views.rights import may_cancel
from leaderboard.pages.submissions.views.steps import Step, steps_of
from leaderboard.pages.submissions.views.would_be import WouldBe, would_be
from leaderboard.scores.models import Score
from leaderboard.submissions.bases import beginning_words
from leaderboard.submissions.models import Consent, Provenance, Submission, Visibility
from leaderboard.submissions.publishing import hold_words, offered_tasks

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

LIVE = "submissions/_submission_live.html"


@require_safe
def submission(request: HttpRequest, pk: int) -> HttpResponse:
    page = SubmissionPage.of(request, pk)
    context = context_of(page)
    live = LivePart.of(request, LIVE, context, page.version).html
    return render(request, "submissions/submission.html", {**context, "live": live})


@require_safe
def submission_live(request: HttpRequest, pk: int) -> HttpResponse:
    """The final update includes the page's head, because its buttons change then. Before that,
    nothing is rendered if the page already has the current version."""
    on_page = version_on_page(request)
    page = SubmissionPage.of(request, pk, live=True)
    if page.moving and page.version and on_page == page.version:
        return HttpResponse(status=204)
    part = LivePart.of(request, LIVE, context_of(page), page.version)
    return answer(part, on_page=on_page, over=not page.moving)


def visible_submission(request: HttpRequest, pk: int) -> Submission:
    """The submission with related rows. Raises Http404 if the user may not see it."""
    rows = Submission.objects.visible_to(request.user)
    return get_object_or_404(
        rows.select_related("entrant__team", "revision__benchmark", "user", "upload").defer(
            "upload__report", "upload__left_out"
        ),
        pk=pk,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    evaluation: Evaluation | None
    aside: Evaluation | None

    @classmethod
    def of(cls, found: Submission) -> Shown:
        rows = list(found.evaluations.order_by("-pk"))
        moving = (row for row in rows if not row.current and row.state in EvaluationState.moving())
        return cls(next((row for row in rows if row.current), None), next(moving, None))

    @property
    def both(self) -> list[Evaluation]:
        return [one for one in (self.evaluation, self.aside) if one]

    @property
    def moving(self) -> bool:
        return any(one.state in EvaluationState.moving() for one in self.both)


@dataclass(frozen=True, slots=True)
class Departing:
    task: Task
    sentence: str


@dataclass(frozen=True, slots=True)
class Overall:
    """The `primary` metric; overall scores, the primary one first; those of the benchmark's own
    programs; and the primary score by slice, each with its title."""

    primary: str
    overall: list[Score]
    references: list[tuple[str, Score]]
    slices: list[tuple[str, list[tuple[str, Score]]]]


@dataclass(frozen=True)
class SubmissionPage:
    """`group` is the group of verdicts whose tasks are shown, on the page `page_number`. `site` is
    the address before a path. `is_live`: only the live part is rendered."""

    submission: Submission
    evaluations: Shown
    user: Person
    group: str
    page_number: str | None
    site: str
    is_live: bool

    @classmethod
    def of(cls, request: HttpRequest, pk: int, *, live: bool = False) -> SubmissionPage:
        """Raises Http404 if the user may not see the submission."""
        found = visible_submission(request, pk)
        group = request.GET.get("verdict", "")
        return cls(
            submission=found,
            evaluations=Shown.of(found),
            user=request.user,
            group=group if group in {*BY_NAME, MISSING} else "",
            page_number=request.GET.get("page"),
            site=f"{request.scheme}://{request.get_host()}",
            is_live=live,
        )

    # --- The submission, and what the reader may do ---

    @property
    def benchmark(self) -> Benchmark:
        return self.submission.revision.benchmark

    @property
    def setting(self) -> str:
        return setting_words(self.submission.setting)

    @property
    def crumbs(self) -> list[Crumb]:
        return entrant_crumbs(self.submission.entrant, own=self.editable)

    @cached_property
    def editable(self) -> bool:
        own = Submission.objects.editable_by(self.user)
        return own.filter(pk=self.submission.pk).exists()

    @property
    def published(self) -> bool:
        return self.submission.visibility == Visibility.PUBLISHED

    @cached_property
    def hold(self) -> str:
        """The reason why its team cannot publish it now; "" if it can, or for other users."""
        return hold_words(self.submission) if self.editable and not self.published else ""

    @property
    def evaluation(self) -> Evaluation | None:
        return self.evaluations.evaluation

    @property
    def aside(self) -> Evaluation | None:
        return self.evaluations.aside

    @property
    def moving(self) -> bool:
        return self.evaluations.moving

    @property
    def with_head(self) -> bool:
        return self.is_live and not self.moving

    @property
    def cancellable(self) -> bool:
        if self.rated is not None:
            return False
        return any(may_cancel(self.user, self.submission, one) for one in self.evaluations.both)

    @property
    def by_turns(self) -> bool:
        return self.benchmark.family.transcripts_in(self.submission.setting) is not None

    @property
    def conversing(self) -> bool:
        return has_conversations(self.submission.setting)

    @cached_property
    def provenance(self) -> list[Fact]:
        provenance = Provenance.objects.filter(submission=self.submission).first()
        return facts(provenance.said) if provenance else []

    # --- Progress ---

    @cached_property
    def progress(self) -> Progress | None:
        return progress(self.evaluation) if self.evaluation else None

    def _is(self, *states: str) -> bool:
        return self.progress is not None and self.progress.state in states

    @property
    def done(self) -> bool:
        return self._is(EvaluationState.DONE)

    @property
    def over(self) -> bool:
        return self._is(*EvaluationState.scored())

    @property
    def cancelled(self) -> bool:
        return self._is(EvaluationState.CANCELLED)

    @property
    def publishable(self) -> bool:
        return self.done if self.rated is None else self.rated.begun > 0

    @property
    def percent_judged(self) -> int:
        state = self.progress
        return 100 * state.runs_done // state.runs if state and state.runs else 0

    @cached_property
    def steps(self) -> list[Step]:
        evaluation, state, held = self.evaluation, self.progress, bool(self.hold)
        if evaluation is None:
            return []
        if self.rated is not None:
            return rated_steps(self.submission, evaluation, self.rated, held=held)
        if state is None:
            return []
        cause = in_readers_language(evaluation.cause)
        return steps_of(self.submission, state, cause=cause, held=held)

    @property
    def chunk_states(self) -> list[str]:
        chunks = self.progress.chunks if self.progress else ()
        return ["returned" if chunk.is_returned else chunk.state for chunk in chunks]

    @property
    def counts(self) -> list[tuple[Group, int]]:
        if self.progress is None:
            return []
        numbers = [(group, self.progress.counts.get(group.name, 0)) for group in GROUPS]
        rare = ("review", "infrastructure")
        return [(group, number) for group, number in numbers if number or group.name not in rare]

    @cached_property
    def version(self) -> str:
        """A name for the state that the live part shows while tests judge: it changes with every
        verdict and every step. "" if people judge."""
        state = self.progress
        if self.submission.is_rated or state is None:
            return ""
        both = self.evaluations.both
        rows = [(one.pk, one.current, one.state, one.attempt, one.cause) for one in both]
        counts = (state.counts, state.runs_done, state.remarks, state.workers, state.holders)
        words = (get_language(), self.submission.visibility, self.steps, self.chunk_states)
        return name_of(repr((rows, counts, words)))

    @cached_property
    def holders(self) -> list[str]:
        """The holders of slots that chunks wait for. Only staff see numbers of others'
        submissions."""
        holders = self.progress.holders if self.progress else ()
        if not holders:
            return []
        if self.user.is_staff:
            told = gettext("For staff: the slots are held by %(holders)s.")
            return [told % {"holders": ", ".join(holders)}]
        numbers = [one.removeprefix("submission ") for one in holders]
        keys = [int(one) for one in numbers if one.isdecimal()]
        rows = Submission.objects.editable_by(self.user).filter(pk__in=keys)
        own = list(rows.order_by("pk").values_list("pk", flat=True))
        others = len(holders) - len(own)
        said = []
        if own:
            told = gettext("Your submissions that hold slots: %(numbers)s.")
            said.append(told % {"numbers": ", ".join(map(str, own))})
        if others:
            told = gettext("Others that hold slots, of other teams or of the site: %(number)d.")
            said.append(told % {"number": others})
        return said

    # --- Refused transcripts ---

    @property
    def refused(self) -> bool:
        return self.evaluation is not None and self.evaluation.state == EvaluationState.REFUSED

    @property
    def _reasons(self) -> Evaluation | None:
        """The evaluation, if the reader may see why it was refused."""
        return self.evaluation if self.refused and (self.editable or self.user.is_staff) else None

    @cached_property
    def departing(self) -> list[Departing]:
        departures = self._reasons.departures if self._reasons else []
        if self._reasons is None or not departures:
            return []
        tasks = Task.objects.in_bulk([task for task, _ in departures])
        return [
            Departing(tasks[task], in_readers_language(sentence)) for task, sentence in departures
        ]

    @property
    def more_departing(self) -> int:
        return self._reasons.more_departures if self._reasons else 0

    # --- Results ---

    @cached_property
    def _results(self) -> tuple[Page[Task], list[TaskRow]]:
        return results_page(
            self.submission, self.evaluation, group=self.group, number=self.page_number
        )

    @property
    def page(self) -> Page[Task]:
        return self._results[0]

    @property
    def rows(self) -> list[TaskRow]:
        return self._results[1]

    @cached_property
    def missing(self) -> int:
        if self.submission.is_rated:
            return 0
        return without_generations(self.submission.revision.tasks.all(), self.submission).count()

    @cached_property
    def scores(self) -> Overall | None:
        found, evaluation = self.submission, self.evaluation
        if evaluation is None or evaluation.state != EvaluationState.DONE:
            return None
        primary = self.benchmark.metric_in(found.setting)
        rows = sorted(evaluation.scores.order_by("pk"), key=lambda row: row.metric != primary)
        slices: dict[str, list[Score]] = {}
        for row in rows:
            if row.slice != "overall" and row.metric == primary:
                slices.setdefault(row.slice, []).append(row)
        overall = [row for row in rows if row.slice == "overall"]
        return Overall(
            primary=primary,
            overall=[row for row in overall if not row.of_references],
            references=[
                (reference_words(row.metric), row)
                for row in in_order(row for row in overall if row.of_references)
            ],
            # A slice with a single value repeats the overall score.
            slices=[
                (
                    slice_name(name, [score.slice_value for score in values]),
                    [(slice_value(name, score.slice_value), score) for score in values],
                )
                for name, values in slices.items()
                if len(values) > 1
            ],
        )

    @property
    def primary(self) -> str:
        return self.scores.primary if self.scores else ""

    @property
    def overall(self) -> list[Score]:
        return self.scores.overall if self.scores else []

    @property
    def references(self) -> list[tuple[str, Score]]:
        return self.scores.references if self.scores else []

    @property
    def slices(self) -> list[tuple[str, list[tuple[str, Score]]]]:
        return self.scores.slices if self.scores else []

    @cached_property
    def beginning(self) -> str:
        return beginning_words(self.submission) if self.scores else ""

    @cached_property
    def rated(self) -> Rated | None:
        if self.evaluation is None or not self.submission.is_rated:
            return None
        return rated_of(self.submission)

    @cached_property
    def means(self) -> list[MeanLine]:
        return mean_lines(self.rated, self.submission, own=self.editable) if self.rated else []

    @cached_property
    def changes(self) -> Changes | None:
        return changes(self.submission, self.evaluation) if self.editable else None

    @cached_property
    def would_be(self) -> WouldBe | None:
        return would_be(self.submission, self.evaluation) if self.editable else None

    @cached_property
    def talk(self) -> Talk | None:
        return talk_of(self.submission, self.evaluation)

    # --- Generations that its team can show to everyone, or shows ---

    @property
    def _shows(self) -> bool:
        return self.editable and not self.submission.is_rated

    @cached_property
    def offered(self) -> QuerySet[ShownTask] | None:
        if not self._shows or self.published:
            return None
        offered = offered_tasks(self.submission, self.user)
        return offered.select_related("task").order_by("task__number")

    @cached_property
    def publish_form(self) -> PublishForm | None:
        if not self.offered:
            return None
        return PublishForm(
            offered=self.offered, initial={"shown": [one.pk for one in self.offered]}
        )

    @cached_property
    def agreed(self) -> bool:
        """A consent that is not in force now can be withdrawn too."""
        return self._shows and self.published and self.submission.consents.exists()

    @cached_property
    def consents(self) -> Sequence[Consent]:
        if not self.agreed:
            return []
        consents = self.submission.consents.select_related("shown__task")
        return list(consents.order_by("shown__task__number").visible_to(self.user))

    # --- The citation and the badge: others must be able to open the address ---

    @property
    def _citable(self) -> bool:
        return not self.is_live and self.published and self.submission.published is not None

    @property
    def address(self) -> str:
        return self.site + self.submission.get_absolute_url() if self._citable else ""

    @property
    def citations(self) -> list[Citation]:
        found, published = self.submission, self.submission.published
        if not self._citable or published is None:
            return []
        title = gettext("%(entrant)s on %(title)s") % {
            "entrant": found.entrant.name,
            "title": self.benchmark.title,
        }
        facts = (
            gettext("revision %(label)s") % {"label": found.revision.label},
            gettext("%(name)s setting") % {"name": self.setting},
            gettext("submission %(number)s") % {"number": found.pk},
        )
        return [Citation(gettext("This result"), title, self.address, facts, published.year)]

    @cached_property
    def badge(self) -> str:
        found = self.submission
        if not self._citable or not found.standings.exists():
            return ""
        query = {
            "entrant": found.entrant.slug,
            "setting": found.setting,
            "revision": found.revision.label,
        }
        return f"{self.site}{reverse('badge', args=[self.benchmark.slug])}?{urlencode(query)}"
