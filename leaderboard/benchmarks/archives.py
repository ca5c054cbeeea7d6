"""Unpacks a dataset's zip within bounds. Knows nothing of the files' content."""

import stat
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from django.utils.translation import gettext as _

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.uploads.source import CarefulFile, is_encrypted, is_folder, rarely_packed

MOST_FILES = 10_000
MOST_BYTES = 512 * 2**20
_PART = 2**20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError)


def unpacked(archive: Path, folder: Path) -> Path:
    """Unpacks the zip below `folder`. Returns its only file; else its only folder if it is named
    after the zip, as in archives of repositories; else `folder`. Raises BenchmarkError if the zip
    is too large, broken or packed with a password, or contains links or paths outside of it."""
    folder.mkdir()
    try:
        with CarefulFile(archive) as file, zipfile.ZipFile(file) as opened:
            members = [member for member in opened.infolist() if not is_folder(member)]
            _require_sound(members)
            left = MOST_BYTES
            for member in members:
                target = folder.joinpath(*PurePosixPath(member.filename).parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                # Counted as they come, since a zip may declare any size.
                with opened.open(member) as source, target.open("xb") as unpacked_file:
                    while part := source.read(_PART):
                        left -= len(part)
                        if left < 0:
                            sentence = _("The zip contains more than %(most)d MiB.")
                            raise BenchmarkError(sentence % {"most": MOST_BYTES >> 20})
                        unpacked_file.write(part)
    except _BROKEN as error:
        raise BenchmarkError(_("The zip cannot be read: %(reason)s") % {"reason": error}) from error
    first, *others = folder.iterdir()
    is_all = not others and (first.is_file() or archive.stem.startswith(first.name))
    return first if is_all else folder


def _require_sound(members: Sequence[zipfile.ZipInfo]) -> None:
    if not members:
        raise BenchmarkError(_("The zip contains no file."))
    if len(members) > MOST_FILES:
        raise BenchmarkError(_("The zip contains more than %(most)d files.") % {"most": MOST_FILES})
    if len({member.filename for member in members}) < len(members):
        raise BenchmarkError(_("Two files of the zip have the same name."))
    for member in members:
        words = {"name": member.filename[:80]}
        place = PurePosixPath(member.filename)
        odd = "\\" in member.filename or "\0" in member.filename
        if odd or not place.parts or place.is_absolute() or ".." in place.parts:
            raise BenchmarkError(_("The zip contains a path outside of it: %(name)s") % words)
        if stat.S_ISLNK(member.external_attr >> 16):
            raise BenchmarkError(_("The zip contains a link: %(name)s") % words)
        if is_encrypted(member):
            raise BenchmarkError(_("The zip is packed with a password. Pack it without one."))
        if rarely_packed(member):
            raise BenchmarkError(
                _("The zip uses a rare kind of compression. Pack it with the usual kind (deflate).")
            )
