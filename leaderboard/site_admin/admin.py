"""Registers every admin class of the site. Django's admin imports this module when it starts."""

from leaderboard.site_admin import (  # noqa: F401 - each registers its classes when imported
    accounts,
    annotation,
    benchmarks,
    evaluation,
    scores,
    submissions,
)
