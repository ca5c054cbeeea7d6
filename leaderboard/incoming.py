"""Where the bodies of large uploads are written while they arrive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler


class IncomingFile(TemporaryFileUploadHandler):
    """Writes beside the stored files: storing is a rename then, and the reconciler finds what a
    killed process left."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        settings.FILE_UPLOAD_TEMP_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        with self._removed_on_error():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:
        with self._removed_on_error():
            return super().file_complete(file_size)

    @contextmanager
    def _removed_on_error(self) -> Iterator[None]:
        """Gives the room of a file for which the disk is too small back at once."""
        try:
            yield
        except OSError:
            self.upload_interrupted()
            raise
