"""Reads the prediction files that every benchmark accepts, one record at a time.

`check` reports a file's contents and all problems; `read` yields its generations. Knows no
benchmark by name: a SlotIndex supplies tasks and requirements."""

from evaluation.engine.uploads.decode import printable as printable
from evaluation.engine.uploads.intake import SlotIndex as SlotIndex
from evaluation.engine.uploads.kinds import encoding_of as encoding_of
from evaluation.engine.uploads.reading import UploadReport as UploadReport
from evaluation.engine.uploads.reading import check as check
from evaluation.engine.uploads.reading import read as read
from evaluation.engine.uploads.source import Bounds as Bounds
from evaluation.engine.uploads.source import member_names as member_names
from evaluation.engine.uploads.source import plain as plain
from evaluation.engine.uploads.source import words_of as words_of
