from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from leaderboard.boards import queries
from leaderboard.boards.rows import rows_of
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


def test_rows_come_in_the_boards_order_with_unsettled_ones_last(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Open"), ("not_run", "passed", "passed"))
    results(cast, 3)
    (board,) = queries.current_boards(queries.benchmark_list(STRANGER))
    rows = rows_of(board, STRANGER)
    names = [row.entrant.name for row in rows]
    assert names == ["Model 02", "Model 00", "Model 01", "Open"]


def test_scores_come_overall_and_by_the_slices_asked_for(cast: Cast) -> None:
    cast.judged_submission(cast.entrant(), benchmark=cast.codeif, setting="single_round")
    board = queries.board_of(cast.codeif.current, "single_round")
    (row,) = rows_of(board, STRANGER, ["category"])
    assert {name for _, name, _ in row.scores} == {"overall", "category"}


def test_counts_leave_out_what_is_private(cast: Cast) -> None:
    submissions = results(cast, 2)
    cast.judged_submission(cast.entrant("Private"), publish=False)
    counts = queries.site_counts(cast.alice)
    generations = sum(one.generations_count for one in submissions)
    assert counts == queries.SiteCounts(entrants=2, results=2, generations=generations)


def test_a_benchmark_of_an_unknown_family_still_has_its_setting(cast: Cast) -> None:
    cast.rucodeeval.family_slug = "gone"
    assert queries.settings_of(cast.rucodeeval) == ("base",)


def test_a_task_without_results_has_no_solve_rate(cast: Cast) -> None:
    tasks = cast.rucodeeval.current.tasks.all()
    assert {task.solve_rate for task in queries.with_solve_rates(tasks, None)} == {None}
