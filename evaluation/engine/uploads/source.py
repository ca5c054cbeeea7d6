"""Opens an upload as one size-limited stream of UTF-8 bytes; unpacks zip and gzip. Writes nothing
to disk and uses no member's name as a path."""

import gzip
import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, TypeAlias

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem
from evaluation.engine.texts import Message, said_by
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.decode import printable
from evaluation.engine.uploads.kinds import PACKERS, ZIP, encoding_of, format_of, format_of_members

MIB = 2**20
_BUFFER = 256 * 1024
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
# Of file managers and development environments, next to hidden files and folders.
_NO_PREDICTIONS = re.compile(
    r"(^|[/\\])(\.(?![./\\])|~\$|__MACOSX/|__pycache__/|(eh)?thumbs(_vista)?\.db$|desktop\.ini$|Icon\r"
    r"|nbproject/|package\.bluej$|(pom|build|nb-configuration)\.xml$|gradle(/|\.properties$)"
    r"|(gradle|mvn)w(\.\w+)?$)|~$"
    r"|\.(gradle(\.kts)?|iml|ipr|iws|sln|suo|sw[op]|[\w-]*(proj(ect)?(\.\w+)?|workspace))(/|$)",
    re.IGNORECASE,
)
_SUFFIXES = re.compile(r"(\.(json|jsonl|ndjson|txt|gz))+$", re.IGNORECASE)
# Errors of zipfile, gzip and zlib for broken input. An OSError of the disk is not among them.
_BROKEN = (
    *(zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, struct.error),
    *(EOFError, RuntimeError, ValueError, OverflowError),
)
DIRECTORY_BYTES = 4 * MIB
# Flag bits: encrypted, strongly encrypted.
_ENCRYPTED = 0x1 | 0x40


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits above which a file is rejected. Sizes are bytes.

    file_bytes: the file after decompression.
    ratio, ratio_free_bytes: a compressed file may unpack to the larger of `ratio_free_bytes` and
        `ratio` times its size on disk.
    record_bytes: one line or element.
    problems: listed in a report; further ones are only counted."""

    file_bytes: int = 2048 * MIB
    ratio: int = 50
    ratio_free_bytes: int = 10 * MIB
    record_bytes: int = 16 * MIB
    generation_chars: int = MIB
    generations_per_slot: int = 1000
    records: int = 5_000_000
    members: int = 1000
    problems: int = 100


BOUNDS = Bounds()


def in_words(size: int) -> Message:
    if size >= MIB and size % MIB == 0:
        return texts.MEBIBYTES(number=size // MIB)
    return texts.BYTES(number=f"{size:,}")


@dataclass(frozen=True, slots=True)
class Source:
    """The unpacked bytes. `member` is the name of the file inside a zip, else ""."""

    stream: BinaryIO
    member: str = ""


@contextmanager
def opened(path: Path, bounds: Bounds, family: str = "") -> Iterator[Source]:
    """Opens the bytes, unpacked and without a byte order mark. Raises UploadError if they cannot be
    unpacked, here and on later reads, and OSError if the file itself cannot be read."""
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb", buffering=_BUFFER))
        size = os.fstat(file.fileno()).st_size
        if size > bounds.file_bytes:
            raise UploadError(_too_long(bounds))
        source = Source(file)
        if _start(source.stream).startswith(ZIP):
            archive = _archive(stack, path)
            assert archive is not None, "it begins as a zip does"
            info = _chosen(_files(archive, bounds), family)
            inner, name = stack.enter_context(_member(archive, info)), printable(info.filename)
            source = Source(_bounded(inner, _Allowance(size, bounds), name), name)
        if _start(source.stream).startswith(_GZIP):
            unpacked = stack.enter_context(gzip.GzipFile(fileobj=source.stream))
            bounded = _bounded(unpacked, _Allowance(size, bounds), source.member)
            source = Source(bounded, source.member)
        if sentence := unfit(_start(source.stream, _BUFFER)):
            raise UploadError([Problem(sentence, member=source.member)])
        if _start(source.stream).startswith(_BOM):
            source.stream.read(len(_BOM))
        yield source


def member_names(path: Path, bounds: Bounds = BOUNDS) -> list[str]:
    """Empty if the upload is not a zip. Raises UploadError if it cannot be unpacked, OSError."""
    with ExitStack() as stack:
        archive = _archive(stack, path)
        return [] if archive is None else [info.filename for info in _files(archive, bounds)]


def words_of(name: str) -> list[str]:
    """The last part of a member's name without its suffix, then its folders from the inside out;
    of each only letters and digits, in lower case."""
    *folders, last = name.replace("\\", "/").split("/")
    return [plain(_SUFFIXES.sub("", last)), *(plain(folder) for folder in reversed(folders))]


def plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def members(path: Path, bounds: Bounds) -> Iterator[tuple[str, bytes | None]]:
    """Yields the names and contents of a zip's files in order, with a common size limit. A content
    is None if it exceeds the limit for a record. Raises UploadError."""
    with ExitStack() as stack:
        archive = _archive(stack, path)
        if archive is None:
            return
        left = _Allowance(path.stat().st_size, bounds)
        for info in _files(archive, bounds):
            with _member(archive, info) as inner:
                stream = _bounded(inner, left, printable(info.filename))
                content = stream.read(bounds.record_bytes + 1)
            yield info.filename, content if len(content) <= bounds.record_bytes else None


_Packed: TypeAlias = IO[bytes] | gzip.GzipFile


class _Allowance:
    """Counts the bytes that a compressed file of `size` bytes unpacks to, against the limits."""

    def __init__(self, size: int, bounds: Bounds) -> None:
        self._size, self._bounds, self._count = size, bounds, 0

    def take(self, count: int) -> Message | None:
        self._count += count
        if self._count > self._bounds.file_bytes:
            return _too_long(self._bounds)
        if self._count > max(self._bounds.ratio_free_bytes, self._bounds.ratio * self._size):
            return texts.UNPACKS_TOO_FAR(ratio=self._bounds.ratio)
        return None


class _Bounded(io.RawIOBase):
    """A decompressor's output, counted; raises UploadError on failure."""

    def __init__(self, inner: _Packed, allowance: _Allowance, member: str) -> None:
        self._inner, self._allowance, self._member = inner, allowance, member

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed's Buffer
        try:
            data = self._inner.read(len(buffer))
        except _BROKEN as error:
            sentence = texts.BROKEN_COMPRESSION(reason=_reason(error))
            raise UploadError([Problem(sentence, member=self._member)]) from None
        if fault := self._allowance.take(len(data)):
            raise UploadError([Problem(fault, member=self._member)])
        buffer[: len(data)] = data
        return len(data)


def _archive(stack: ExitStack, path: Path) -> zipfile.ZipFile | None:
    """Returns None if the file does not begin like a zip. Raises UploadError."""
    with path.open("rb", buffering=_BUFFER) as file:
        if not _start(file).startswith(ZIP):
            return None
    try:
        return stack.enter_context(zipfile.ZipFile(stack.enter_context(CarefulFile(path))))
    except _BROKEN as error:
        raise UploadError(texts.BROKEN_ZIP(reason=_reason(error))) from None


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    name = printable(info.filename)
    if is_encrypted(info):
        raise UploadError([Problem(texts.ZIP_ENCRYPTED(), member=name)])
    if rarely_packed(info):
        raise UploadError([Problem(texts.ZIP_RARE_COMPRESSION(), member=name)])
    try:
        return archive.open(info)
    except _BROKEN as error:
        problem = Problem(texts.BROKEN_ZIP(reason=_reason(error)), member=name)
        raise UploadError([problem]) from None


def _files(archive: zipfile.ZipFile, bounds: Bounds) -> list[zipfile.ZipInfo]:
    """Returns the files with content. Raises UploadError."""
    infos = archive.infolist()
    if len(infos) > bounds.members:
        raise UploadError(texts.ZIP_MANY_FILES(number=bounds.members))
    files = [
        info for info in infos if not (is_folder(info) or _NO_PREDICTIONS.search(info.filename))
    ]
    if not files:
        raise UploadError(texts.ZIP_EMPTY())
    if name := format_of_members([info.filename for info in files]):
        raise UploadError(texts.FOREIGN_FORMAT(format=name))
    return files


def _chosen(files: list[zipfile.ZipInfo], family: str) -> zipfile.ZipInfo:
    if len(files) == 1:
        return files[0]
    named = [info for info in files if family and info.filename == family]
    if not named and family:
        named = [info for info in files if words_of(info.filename)[0] == plain(family)]
    if len(named) == 1:
        return named[0]
    if named:
        raise UploadError(texts.ZIP_SEVERAL_NAMED(number=len(named), family=family))
    if family:
        raise UploadError(texts.ZIP_WHICH_NAMED(number=len(files), family=family))
    raise UploadError(texts.ZIP_WHICH(number=len(files)))


def _bounded(inner: _Packed, allowance: _Allowance, member: str) -> BinaryIO:
    return io.BufferedReader(_Bounded(inner, allowance, member), _BUFFER)


def _start(stream: BinaryIO, size: int = 8) -> bytes:
    assert isinstance(stream, io.BufferedReader)
    return stream.peek(size)


def unfit(content: bytes) -> Message | None:
    """Why the unpacked file is no JSON in UTF-8, by its start, unless only reading it tells."""
    start = content[:_BUFFER]
    name = format_of(start)
    if start.startswith((_GZIP, *ZIP)) and not name:
        return texts.PACKED_TWICE()
    # Packed bytes may be text in UTF-16 as well.
    encoding = encoding_of(start).removesuffix("utf-8-sig")
    if encoding and name in ("", "binary"):
        return texts.ENCODED(encoding=encoding[:6].upper())
    if name in ("HTML", "Git LFS"):
        return texts.HTML() if name == "HTML" else texts.GIT_LFS()
    if name in ("tar", *PACKERS.values()):
        return texts.FOREIGN_PACKER(packer=name)
    return texts.FOREIGN_FORMAT(format=name) if name else None


def _too_long(bounds: Bounds) -> Message:
    return texts.UNPACKS_TOO_LONG(size=in_words(bounds.file_bytes))


def _reason(error: BaseException) -> str:
    said = said_by(error)
    return said if isinstance(said, Message) else printable(said or type(error).__name__)


class CarefulFile(io.FileIO):
    """A file that stops zipfile from reading a directory over DIRECTORY_BYTES."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            size = os.fstat(self.fileno()).st_size - self.tell()
        if size > DIRECTORY_BYTES:
            raise zipfile.BadZipFile(texts.ZIP_LARGE_DIRECTORY())
        return super().read(size) or b""

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_SET and position < 0:
            raise zipfile.BadZipFile(texts.ZIP_DIRECTORY_OUTSIDE())
        return super().seek(position, whence)


def is_encrypted(info: zipfile.ZipInfo) -> bool:
    return bool(info.flag_bits & _ENCRYPTED)


def rarely_packed(info: zipfile.ZipInfo) -> bool:
    """Whether it uses lzma, bzip2 or the like, which allocate as much as the archive says."""
    return info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_folder(info: zipfile.ZipInfo) -> bool:
    """`ZipInfo.is_dir` fails if a broken zip has no name for the member."""
    return info.filename.endswith("/")
