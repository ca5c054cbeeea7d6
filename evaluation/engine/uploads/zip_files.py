"""Opens zips safely, so that their own size fields cannot exhaust memory."""

from __future__ import annotations

import io
import os
import zipfile

from evaluation.engine.uploads import texts
from evaluation.engine.uploads.bounds import MIB

DIRECTORY_BYTES = 4 * MIB
# Flag bits: encrypted, strongly encrypted.
_ENCRYPTED = 0x1 | 0x40


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
