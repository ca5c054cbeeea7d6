"""The sources, jars and resources that all tasks of a revision share, and their packed form."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

MIB = 2**20
# Maximum total size; the benchmark's own is 2.3 MB.
MOST_BYTES = 256 * MIB
MOST_FILES = 10_000
_SOURCES, _JARS, _RESOURCES = "sources/", "jars/", "resources/"
# The earliest time in a zip file: the same content makes the same bytes.
_MOMENT = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Kit:
    """Sources and resources by path in the checkout, jars by name. Evaluations read resources, and
    some of the sources, below their working directory, under these paths."""

    sources: Mapping[str, str]
    jars: Mapping[str, bytes]
    resources: Mapping[str, bytes]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(packed(self)).hexdigest()


def packed(kit: Kit) -> bytes:
    """A reproducible zip archive. Not compressed, because releases of zlib differ."""
    members = {_SOURCES + path: text.encode() for path, text in kit.sources.items()}
    members |= {_JARS + name: content for name, content in kit.jars.items()}
    members |= {_RESOURCES + path: content for path, content in kit.resources.items()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, _MOMENT)
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, members[name])
    return file.getvalue()
