"""Why a score has no value or no interval."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

NOTHING_COUNTS = Text("metrics.nothing_counts", _("no result counts"))
FEW_SAMPLES = Text(
    "metrics.few_samples",
    _("needs %(number)s samples of every task, but a task has only %(fewest)s"),
)
UNSETTLED = Text("metrics.unsettled", _("%(number)s samples have no final verdict yet"))
FEW_TASKS = Text(
    "metrics.few_tasks",
    _("No interval: it needs results on %(fewest)s tasks, and there are %(number)s."),
)
FEW_REPOSITORIES = Text(
    "metrics.few_repositories",
    _("No interval: it needs tasks of %(fewest)s repositories, and there are %(number)s."),
)
FEW_PROJECTS = Text(
    "metrics.few_projects",
    _("No interval: it needs tasks of %(fewest)s projects, and there are %(number)s."),
)
RARE_TURNS = Text(
    "metrics.rare_turns",
    _("No interval: some pair of turns has fewer than %(fewest)s independent conversations."),
)
