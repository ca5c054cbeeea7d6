"""Entrants: the list, and each entrant's page with results and submissions."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext

from evaluation.engine.metrics.summary import SLICES
from evaluation.models import Evaluation, EvaluationState
from evaluation.work.deleting import SEEN
from leaderboard.accounts.models import Entrant, Team
from leaderboard.boards import queries
from leaderboard.boards.filters import OF_ENTRANT, Filters
from leaderboard.boards.rows import rank_text
from leaderboard.boards.scores import (
    OVERALL,
    WHOLE,
    Scores,
    ShownScore,
    by_evaluation,
    fitting_slice,
    other_metrics,
    scores_shown,
)
from leaderboard.boards.selection import Site
from leaderboard.pages.boards import profiles
from leaderboard.pages.boards.menus import entrant_menus
from leaderboard.pages.boards.words import setting_title, slice_value, untranslated
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.record import render_page
from leaderboard.scores.models import Score, Standing
from leaderboard.submissions.models import Submission, Visibility

PAGE = 50


@dataclass(frozen=True, slots=True)
class ResultLine:
    standing: Standing
    setting: str
    score: ShownScore | None
    rank: str
    others: Sequence[ShownScore] = ()
    # The slices' values in words, with their scores.
    slices: Sequence[tuple[str, ShownScore]] = ()
    top: int | None = None
    # The number of ranked rows of the board, where a page shows it.
    ranked: int | None = None
    # Whether results are conversations, run by the team or by this site.
    transcripts: bool = False
    extremes: Sequence[tuple[str, ShownScore]] = ()


@dataclass(frozen=True, slots=True)
class HistoryLine:
    submission: Submission
    setting: str
    evaluation: Evaluation | None
    score: ShownScore | None

    @property
    def private(self) -> bool:
        return self.submission.visibility != Visibility.PUBLISHED


@dataclass(frozen=True, slots=True)
class EntrantPage:
    """`history` are the submissions of the page that no line of `results` shows."""

    entrant: Entrant
    crumbs: list[Crumb]
    results: list[ResultLine]
    means: list[profiles.EntrantMean]
    untranslated: bool
    courses: list[profiles.Course]
    page: Page[Submission]
    history: list[HistoryLine]
    ours: bool
    undeletable: QuerySet[Submission]


def entrants(request: HttpRequest) -> HttpResponse:
    sort = "latest" if request.GET.get("sort") == "latest" else ""
    filters = Filters.of_query(request.GET.dict(), keep=("sort",), names=OF_ENTRANT)
    by_latest = [F("latest").desc(nulls_last=True)] if sort else []
    everyone = list(queries.entrant_list(request.user).order_by(*by_latest, "name", "pk"))
    matching = [entrant for entrant in everyone if filters.matches(entrant)]
    context = {
        "page": Paginator(matching, PAGE).get_page(request.GET.get("page")),
        "total": len(everyone),
        "shown": len(matching),
        "filters": filters,
        "menus": entrant_menus(filters, everyone),
        "sort": sort,
        "by_name": filters.query(sort=""),
        "by_latest": filters.query(sort="latest"),
    }
    return render(request, "boards/entrants.html", context)


def entrant(request: HttpRequest, slug: str) -> HttpResponse:
    user = request.user
    visible = Entrant.objects.visible_to(user).select_related("team")
    entrant = get_object_or_404(visible, slug=slug)
    site = Site(user)
    standings = site.standings_of([entrant])
    scores = scores_shown(standings, {row.board.metric for row in standings}, SLICES)
    # The kinds and names of all parts and skills that the page may show.
    parts = [(name, value) for row in scores.values() for _metric, name, value in row]
    skills = [
        ("skill", skill) for row in standings for skill in row.board.revision.benchmark.skills
    ]
    in_results = [standing.submission_id for standing in standings]
    visible_others = Submission.objects.visible_to(user).select_related("revision__benchmark")
    others = visible_others.filter(entrant=entrant).exclude(pk__in=in_results)
    page = Paginator(others.order_by("-created", "-pk"), PAGE).get_page(request.GET.get("page"))
    record = EntrantPage(
        entrant=entrant,
        crumbs=[Crumb(gettext("Entrants"), reverse("entrants")), Crumb(entrant.shown_name)],
        results=[_result_line(row, scores[row.evaluation_id], site) for row in standings],
        means=profiles.means_shown(entrant, site),
        untranslated=untranslated([*parts, *skills]),
        courses=profiles.courses_of(standings),
        page=page,
        history=_history(page),
        ours=Entrant.objects.editable_by(user).filter(pk=entrant.pk).exists(),
        undeletable=entrant.submissions.filter(SEEN),
    )
    return render_page(request, "boards/entrant.html", record)


def team(request: HttpRequest, slug: str) -> HttpResponse:
    """A team in public, without persons. Raises Http404 if the reader may see no entrant of it."""
    user = request.user
    entrants = queries.entrant_list(user).filter(team__slug=slug)
    rows = list(entrants.order_by("name", "pk"))
    if not rows:
        raise Http404(gettext("There is no such team, or it has published nothing."))
    site = Site(user)
    standings = site.standings_of(rows)
    scores = scores_shown(standings, ())
    owner = Team.objects.get(slug=slug)
    context = {
        "team": owner,
        "crumbs": [Crumb(gettext("Entrants"), reverse("entrants")), Crumb(owner.name)],
        "entrants": rows,
        "results": [_result_line(row, scores[row.evaluation_id], site) for row in standings],
    }
    return render(request, "boards/team.html", context)


def _result_line(standing: Standing, scores: Scores, site: Site) -> ResultLine:
    metric, benchmark = standing.board.metric, standing.board.revision.benchmark
    name, values = fitting_slice(metric, [scores])
    return ResultLine(
        standing=standing,
        setting=setting_title(standing.board.setting),
        score=scores.get((metric, *WHOLE)),
        rank=rank_text(standing.rank_low, standing.rank_high),
        ranked=site.ranked_on(standing.board_id),
        others=[scores[other, OVERALL, ""] for other in other_metrics(metric, [scores])],
        slices=[(slice_value(name, value), scores[metric, name, value]) for value in values],
        top=queries.scales_of(benchmark).get(metric),
        transcripts=benchmark.family.transcripts_in(standing.board.setting) is not None,
        extremes=profiles.extremes_of(metric, scores),
    )


def _history(page: Page[Submission]) -> list[HistoryLine]:
    if not page:
        return []
    evaluations = Evaluation.objects.filter(current=True, submission__in=list(page))
    current = {evaluation.submission_id: evaluation for evaluation in evaluations}
    done = [e.pk for e in current.values() if e.state == EvaluationState.DONE]
    scores = by_evaluation(Score.objects.filter(evaluation__in=done, slice=OVERALL))
    lines = []
    for submission in page:
        evaluation = current.get(submission.pk)
        metric = submission.revision.benchmark.metric_in(submission.setting)
        score = scores.get(evaluation.pk, {}).get((metric, *WHOLE)) if evaluation else None
        lines.append(HistoryLine(submission, setting_title(submission.setting), evaluation, score))
    return lines
