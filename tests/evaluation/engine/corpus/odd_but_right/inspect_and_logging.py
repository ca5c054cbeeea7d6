# task: mean_of
# why: logs, and looks at its own signature
import inspect
import logging

logger = logging.getLogger(__name__)


def mean_of(numbers):
    logger.warning("called with %s", list(inspect.signature(mean_of).parameters))
    return sum(numbers) / len(numbers)
