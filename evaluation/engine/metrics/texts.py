"""Why a score has no value or no interval."""

from evaluation.engine.texts import Text as _
from evaluation.engine.texts import named_texts

NOTHING_COUNTS = _("no result counts")
FEW_SAMPLES = _("needs %(number)s samples of every task, but a task has only %(fewest)s")
UNSETTLED = _("%(number)s samples have no final verdict yet")
FEW_TASKS = _("No interval: it needs results on %(fewest)s tasks, and there are %(number)s.")
FEW_REPOSITORIES = _(
    "No interval: it needs tasks of %(fewest)s repositories, and there are %(number)s."
)
FEW_PROJECTS = _("No interval: it needs tasks of %(fewest)s projects, and there are %(number)s.")
RARE_TURNS = _(
    "No interval: some pair of turns has fewer than %(fewest)s independent conversations."
)

TEXTS = named_texts("metrics", globals())
