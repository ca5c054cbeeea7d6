"""The page of a submission, with its progress, its results and its live part."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Self
from urllib.parse import urlencode

from django.core.paginator import Page
from django.db.models import Count, Exists, F, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.progress import Progress, progress
from evaluation.state.rights import may_cancel, visible_submission
from leaderboard.accounts.models import Person, staff_may, teams_of
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.boards.rows import rank_text
from leaderboard.boards.scores import in_order
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import reference_words, setting_words, slice_name, slice_value
from leaderboard.pages.shared.citing import Citation
from leaderboard.pages.submissions.forms import LicenceForm
from leaderboard.pages.submissions.provenance import facts
from leaderboard.pages.submissions.views.changes import Changes, WouldBe, changes, would_be
from leaderboard.pages.submissions.views.conversations import TalkSummary, talk_summary
from leaderboard.pages.submissions.views.live import live_page, state_name, version_on_page
from leaderboard.pages.submissions.views.rated import (
    MeanLine,
    Rated,
    mean_lines,
    rated_of,
    rated_steps,
)
from leaderboard.pages.submissions.views.results import (
    BY_NAME,
    GROUPS,
    MISSING,
    Group,
    TaskRow,
    task_rows,
    tasks_page,
    without_generations,
)
from leaderboard.pages.submissions.views.steps import Step, steps_of
from leaderboard.scores.models import Board, Receipt, Score, Standing
from leaderboard.submissions.bases import beginning_words
from leaderboard.submissions.models import (
    Consent,
    Copy,
    CopyState,
    Provenance,
    Submission,
    Visibility,
)
from leaderboard.submissions.publishing import hold_words, holding_copies, may_show


@require_safe
def submission(request: HttpRequest, pk: int, *, live: bool = False) -> HttpResponse:
    """With `live`, only the part that changes, and nothing if the page has its current version. The
    final update includes the page's head, because its buttons change then."""
    page = SubmissionPage.of(request, pk, live=live)
    moving, version = page.moving or page.ranking, page.version
    if live and moving and version and version_on_page(request) == version:
        return HttpResponse(status=204)
    parts = "submissions/submission.html", "submissions/_submission_live.html"
    return live_page(request, *parts, page, moving=moving, only_live=live, version=version)


@dataclass(frozen=True)
class SubmissionPage:
    """`evaluation` is the current one, `aside` another that is under way. `group` is the group of
    verdicts whose tasks are shown, on the page `page_number`. `site` is the address before a path.
    `is_live`: only the live part is rendered."""

    submission: Submission
    evaluation: Evaluation | None
    aside: Evaluation | None
    user: Person
    group: str
    page_number: str | None
    site: str
    is_live: bool

    @classmethod
    def of(cls, request: HttpRequest, pk: int, *, live: bool = False) -> Self:
        """Raises Http404 if the user may not see the submission."""
        submission = visible_submission(request, pk)
        evaluations = list(submission.evaluations.order_by("-pk"))
        moving = (row for row in evaluations if row.state in EvaluationState.moving())
        group = request.GET.get("verdict", "")
        return cls(
            submission=submission,
            evaluation=next((row for row in evaluations if row.current), None),
            aside=next((row for row in moving if not row.current), None),
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

    @cached_property
    def editable(self) -> bool:
        return Submission.objects.editable_by(self.user).filter(pk=self.submission.pk).exists()

    @property
    def deletable(self) -> bool:
        """Whether its team gets the link; the page that it leads to may refuse."""
        team = teams_of(self.user).filter(pk=self.submission.entrant.team_id)
        return not self.published and not self.submission.was_published and team.exists()

    @property
    def published(self) -> bool:
        return self.submission.visibility == Visibility.PUBLISHED

    @property
    def receipt(self) -> str | None:
        """The digest of its valid receipt."""
        valid = Receipt.objects.valid().filter(submission=self.submission)
        return valid.values_list("digest", flat=True).first() if self.published else None

    @cached_property
    def hold(self) -> str:
        """The reason why its team cannot publish it now; "" if it can, or for other users."""
        return hold_words(self.submission) if self.editable and not self.published else ""

    @property
    def allowed(self) -> str:
        """Why staff allow its team to publish it although it is like another team's result."""
        rows = self.submission.copies.filter(state=CopyState.ALLOWED).order_by("decided_at")
        return " ".join(rows.values_list("reason", flat=True)) if self.editable else ""

    @cached_property
    def staff_answer(self) -> str | None:
        """What the team said to the staff so far; None if there is nothing to say."""
        rows = holding_copies(self.submission) if self.hold else Copy.objects.none()
        return rows.values_list("answer", flat=True).first()

    @property
    def _evaluations(self) -> list[Evaluation]:
        return [evaluation for evaluation in (self.evaluation, self.aside) if evaluation]

    @property
    def moving(self) -> bool:
        return any(row.state in EvaluationState.moving() for row in self._evaluations)

    @property
    def with_head(self) -> bool:
        return self.is_live and not (self.moving or self.ranking)

    @property
    def cancellable(self) -> bool:
        return self.rated is None and any(
            may_cancel(self.user, self.submission, row) for row in self._evaluations
        )

    @property
    def by_turns(self) -> bool:
        return self.benchmark.family.transcripts_in(self.submission.setting) is not None

    @cached_property
    def provenance(self) -> list[tuple[str, str]]:
        provenance = Provenance.objects.filter(submission=self.submission).first()
        return facts(provenance.said) if provenance else []

    # --- Progress ---

    @cached_property
    def progress(self) -> Progress | None:
        return progress(self.evaluation) if self.evaluation else None

    @property
    def _state(self) -> str:
        return self.evaluation.state if self.evaluation else ""

    @property
    def over(self) -> bool:
        return self._state in EvaluationState.scored()

    @property
    def publishable(self) -> bool:
        return self.rated.begun > 0 if self.rated else self._state == EvaluationState.DONE

    @property
    def percent_judged(self) -> int:
        state = self.progress
        return 100 * state.runs_done // state.runs if state and state.runs else 0

    @cached_property
    def steps(self) -> list[Step]:
        evaluation, held = self.evaluation, bool(self.hold)
        if evaluation is None or self.progress is None:
            return []
        if self.rated is not None:
            return rated_steps(self.submission, evaluation, self.rated, held=held)
        cause = in_readers_language(evaluation.cause)
        return steps_of(self.submission, self.progress, cause=cause, held=held)

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
        rows = [(r.pk, r.current, r.state, r.attempt, r.cause) for r in self._evaluations]
        counts = (state.counts, state.runs_done, state.remarks, state.workers, state.holders)
        words = (get_language(), self.submission.visibility, self.steps, self.chunk_states)
        return state_name(repr((rows, counts, words)))

    @cached_property
    def holders(self) -> list[str]:
        """Of the slots that chunks wait for. Only staff may see numbers of others' submissions."""
        holders = self.progress.holders if self.progress else ()
        if not holders:
            return []
        if staff_may(self.user, "submissions.view_submission"):
            words = gettext("For staff: the slots are held by %(holders)s.")
            return [words % {"holders": ", ".join(holders)}]
        numbers = [holder.removeprefix("submission ") for holder in holders]
        keys = [int(number) for number in numbers if number.isdecimal()]
        rows = Submission.objects.editable_by(self.user).filter(pk__in=keys)
        editable = list(rows.order_by("pk").values_list("pk", flat=True))
        lines = []
        if editable:
            words = gettext("Your submissions that hold slots: %(numbers)s.")
            lines.append(words % {"numbers": ", ".join(map(str, editable))})
        if others := len(holders) - len(editable):
            words = gettext("Others that hold slots, of other teams or of the site: %(number)d.")
            lines.append(words % {"number": others})
        return lines

    # --- Why transcripts were refused, for their team and staff ---

    @cached_property
    def departing(self) -> list[tuple[Task, str]]:
        """The tasks whose transcript breaks the rules, each with a sentence."""
        evaluation = self.evaluation
        if evaluation is None or evaluation.state != EvaluationState.REFUSED or not self.editable:
            return []
        tasks = Task.objects.in_bulk([task for task, _ in evaluation.departures])
        return [(tasks[task], in_readers_language(words)) for task, words in evaluation.departures]

    # --- Results ---

    @cached_property
    def page(self) -> Page[Task]:
        return tasks_page(self.submission, self.evaluation, self.group, self.page_number)

    @cached_property
    def rows(self) -> list[TaskRow]:
        return task_rows(self.page, self.submission, self.evaluation)

    @cached_property
    def missing(self) -> int:
        if self.submission.is_rated:
            return 0
        return without_generations(self.submission.revision.tasks.all(), self.submission).count()

    @cached_property
    def primary(self) -> str:
        return self.benchmark.metric_in(self.submission.setting)

    @cached_property
    def _scores(self) -> list[Score]:
        """The scores of a finished evaluation, those of the primary metric first."""
        if self.evaluation is None or self._state != EvaluationState.DONE:
            return []
        rows = self.evaluation.scores.order_by("pk")
        return sorted(rows, key=lambda score: score.metric != self.primary)

    @property
    def overall(self) -> list[Score]:
        return [row for row in self._scores if row.slice == "overall" and not row.of_references]

    @property
    def references(self) -> list[tuple[str, Score]]:
        """The overall scores of the benchmark's own programs, each with its name."""
        rows = (row for row in self._scores if row.slice == "overall" and row.of_references)
        return [(reference_words(score.metric), score) for score in in_order(rows)]

    @property
    def slices(self) -> list[tuple[str, list[tuple[str, Score]]]]:
        """The primary scores by slice, each with its title."""
        slices: dict[str, list[Score]] = defaultdict(list)
        for score in self._scores:
            if score.slice != "overall" and score.metric == self.primary:
                slices[score.slice].append(score)
        return [
            (
                slice_name(name, [score.slice_value for score in scores]),
                [(slice_value(name, score.slice_value), score) for score in scores],
            )
            for name, scores in slices.items()
            # A slice with a single value repeats the overall score.
            if len(scores) > 1
        ]

    @cached_property
    def beginning(self) -> str:
        return beginning_words(self.submission) if self._state == EvaluationState.DONE else ""

    @cached_property
    def rated(self) -> Rated | None:
        has_ratings = self.evaluation and self.submission.is_rated
        return rated_of(self.submission) if has_ratings else None

    @cached_property
    def means(self) -> list[MeanLine]:
        return (
            mean_lines(self.rated, self.submission, provisional=self.editable) if self.rated else []
        )

    @cached_property
    def changes(self) -> Changes | None:
        return changes(self.submission, self.evaluation) if self.editable else None

    @cached_property
    def would_be(self) -> WouldBe | None:
        return would_be(self.submission, self.evaluation) if self.editable else None

    @cached_property
    def talks(self) -> TalkSummary | None:
        return talk_summary(self.submission, self.evaluation)

    # --- Generations that its team can show to everyone, or shows ---

    @cached_property
    def licence_form(self) -> LicenceForm | None:
        """None if the reader cannot show them, or if they are shown."""
        if not (self.editable and self.benchmark.shows_output) or self.agreed:
            return None
        if not may_show(self.submission, self.user):
            return None
        form = LicenceForm()
        # Without a licence "Show them" would do nothing.
        form.fields["licence"].required = self.published
        return form

    @cached_property
    def agreed(self) -> Consent | None:
        """With whether it is in force now (`in_force`): one that is not can be withdrawn too."""
        if not (self.editable and self.published):
            return None
        in_force = Exists(Consent.objects.visible_to(self.user).filter(pk=OuterRef("pk")))
        rows = Consent.objects.filter(submission=self.submission)
        return rows.annotate(in_force=in_force).first()

    @cached_property
    def standing(self) -> Standing | None:
        """Its row on the board, with the number of rows that have a rank (`ranked`)."""
        if not self.published:
            return None
        peers = Standing.objects.filter(board=OuterRef("board"), place__isnull=False).order_by()
        ranked = Subquery(peers.values("board").annotate(n=Count("pk")).values("n"))
        return self.submission.standings.annotate(ranked=ranked).first()

    @cached_property
    def ranking(self) -> bool:
        """Whether its board computes its rank now; the page tells its team when it has one."""
        if not (self.editable and self.published) or self.standing is not None:
            return False
        board = {"revision": self.submission.revision_id, "setting": self.submission.setting}
        return Board.objects.filter(**board, made__lt=F("wanted")).exists()

    @property
    def rank(self) -> str:
        """Empty while the board is being computed, and if the result is not settled."""
        standing = self.standing
        return rank_text(standing.rank_low, standing.rank_high) if standing else ""

    # --- The citation and the badge: others must be able to open the address ---

    @property
    def address(self) -> str:
        citable = not self.is_live and self.published
        return self.site + self.submission.get_absolute_url() if citable else ""

    @property
    def citations(self) -> list[Citation]:
        submission, published = self.submission, self.submission.published
        if not self.address or published is None:
            return []
        title = gettext("%(entrant)s on %(title)s") % {
            "entrant": submission.entrant.shown_name,
            "title": self.benchmark.title,
        }
        facts = (
            gettext("revision %(label)s") % {"label": submission.revision.label},
            gettext("%(name)s setting") % {"name": setting_words(submission.setting)},
            gettext("submission %(number)s") % {"number": submission.pk},
        )
        return [Citation(gettext("This result"), title, self.address, facts, published.year)]

    @cached_property
    def badge(self) -> str:
        submission = self.submission
        if not self.address or self.standing is None:
            return ""
        query = {
            "entrant": submission.entrant.slug,
            "setting": submission.setting,
            "revision": submission.revision.label,
        }
        return f"{self.site}{reverse('badge', args=[self.benchmark.slug])}?{urlencode(query)}"
