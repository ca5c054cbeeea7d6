import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.boards import queries
from leaderboard.scores.models import Standing
from tests.leaderboard.pages.boards.published import results
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

STRANGER = AnonymousUser()


def test_what_boards_show_is_published_whoever_looks(cast: Cast) -> None:
    """Of an unlisted benchmark its team and staff see it."""
    (public,) = results(cast, 1)
    cast.judged_submission(cast.entrant("Private"), publish=False)
    people = (STRANGER, cast.charlie, cast.bob, cast.dora)
    for listed, visible in ((True, [1, 1, 1, 1]), (False, [0, 0, 1, 1])):
        cast.rucodeeval.listed = listed
        cast.rucodeeval.save()
        rows = [list(queries.published(person)) for person in people]
        assert rows == [[public] * number for number in visible]
        assert [Standing.objects.visible_to(p).count() for p in people] == visible


def test_a_benchmark_of_an_unknown_family_still_has_its_setting(cast: Cast) -> None:
    cast.rucodeeval.family_slug = "gone"
    assert cast.rucodeeval.settings == ("base",)
