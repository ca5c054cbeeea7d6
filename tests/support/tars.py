"""Files for containers, packed as Docker takes them."""

import io
import tarfile
import time
from collections.abc import Mapping


def tar_of(contents: Mapping[str, bytes | None], mode: int = 0o644) -> bytes:
    """A tar with these files by path, and folders for None, all with the current time."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path, content in contents.items():
            member = tarfile.TarInfo(path.lstrip("/"))
            member.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            member.size, member.mtime = len(content or b""), int(time.time())
            member.mode = 0o755 if content is None else mode
            tar.addfile(member, io.BytesIO(content or b""))
    return stream.getvalue()
