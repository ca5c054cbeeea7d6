"""Reads the prediction files that every benchmark accepts, one record at a time.

`check` reports a file's contents and all problems; `read` yields its generations. Knows no
benchmark by name: a SlotIndex supplies tasks and requirements.
"""

from evaluation.engine.uploads.bounds import Bounds
from evaluation.engine.uploads.decode import printable
from evaluation.engine.uploads.kinds import encoding_of
from evaluation.engine.uploads.reading import UploadReport, check, read
from evaluation.engine.uploads.slots import SlotIndex
from evaluation.engine.uploads.source import member_names, plain, words_of

__all__ = [
    "Bounds",
    "SlotIndex",
    "UploadReport",
    "check",
    "encoding_of",
    "member_names",
    "plain",
    "printable",
    "read",
    "words_of",
]
