"""The prediction files that every benchmark accepts, as a stream of generations.

`check` tells what a file holds and everything that is wrong with it; `read` yields
its generations. Both hold one record at a time. Knows no benchmark by name: which
tasks and requirements there are comes in by a SlotIndex.
"""

from evaluation.engine.uploads.bounds import Bounds
from evaluation.engine.uploads.reading import check, read
from evaluation.engine.uploads.report import UploadReport
from evaluation.engine.uploads.slots import SlotIndex

__all__ = ["Bounds", "SlotIndex", "UploadReport", "check", "read"]
