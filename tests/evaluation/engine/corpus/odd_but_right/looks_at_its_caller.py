# task: append_all
# tier: outside
# why: logs the name of its caller
import inspect
import logging
import sys

log = logging.getLogger(__name__)


def append_all(items, extra):
    log.debug("called by %s", sys._getframe(1).f_code.co_name)
    log.debug("from %s", inspect.currentframe().f_back.f_lineno)
    items[len(items):] = extra
    return items
