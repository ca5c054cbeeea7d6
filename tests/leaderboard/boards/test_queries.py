from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from leaderboard.boards import queries
from leaderboard.scores.models import Standing
from tests.leaderboard.pages.boards.published import results
from tests.support.cast import Cast

STRANGER = AnonymousUser()


def test_what_boards_show_is_published_whoever_looks(cast: Cast) -> None:
    (public,) = results(cast, 1)
    cast.judged_submission(cast.entrant("Private"), publish=False)
    for person in (STRANGER, cast.alice, cast.dora):
        assert list(queries.published(person)) == [public]
        assert [row.submission for row in Standing.objects.visible_to(person)] == [public]


def test_a_result_of_an_unlisted_benchmark_is_published_for_its_team_and_staff(cast: Cast) -> None:
    results(cast, 1)
    cast.rucodeeval.listed = False
    cast.rucodeeval.save()
    people = (STRANGER, cast.charlie, cast.bob, cast.dora)
    assert [queries.published(p).count() for p in people] == [0, 0, 1, 1]
    assert [Standing.objects.visible_to(p).count() for p in people] == [0, 0, 1, 1]


def test_a_benchmark_of_an_unknown_family_still_has_its_setting(cast: Cast) -> None:
    cast.rucodeeval.family_slug = "gone"
    assert queries.settings_of(cast.rucodeeval) == ("base",)


def test_a_task_without_results_has_no_solve_rate(cast: Cast) -> None:
    tasks = cast.rucodeeval.current.tasks.all()
    assert {task.solve_rate for task in queries.with_solve_rates(tasks, None)} == {None}
