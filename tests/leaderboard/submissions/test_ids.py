"""The public ids of uploads, submissions and receipts."""

from leaderboard.submissions.models import random_id


def test_no_id_is_an_option_of_a_command_line() -> None:
    ids = {random_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert all(len(one) == 22 and one.isascii() and one.isalnum() for one in ids)
