"""A visitor whose browser runs no scripts: it fills in and sends forms, and follows links."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import requests

from tests.support.commands import wait_for

_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Visitor:
    """Speaks to one site over HTTP, as the signed-in user."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._session = requests.Session()

    def page(self, path: str) -> str:
        answer = self._session.get(self._address + path, timeout=30)
        answer.raise_for_status()
        return answer.text

    def send(self, page: str, path: str = "", file: Path | None = None, **fields: str) -> str:
        """Fills in the form of a page and sends it, by default to the page itself. Returns the
        address that it led to.

        Raises AssertionError if the answer does not redirect.
        """
        token = _TOKEN.search(self.page(page))
        assert token, f"{page} has no form"
        answer = self._session.post(
            self._address + (path or page),
            data={"csrfmiddlewaretoken": token[1], **fields},
            files={"file": file.open("rb")} if file else None,
            headers={"Referer": self._address + page},
            timeout=120,
        )
        answer.raise_for_status()
        led = answer.url.removeprefix(self._address)
        assert answer.history, f"{path or page} was not taken: {answer.text[:2000]}"
        return led

    def submit(self, board: str, entrant: str, file: Path) -> str:
        """Uploads and submits the file. Returns the path of the submission, whose judging has
        begun."""
        upload = self.send("/submit/", file=file, board=board, entrant=entrant)
        wait_for(lambda: f"{upload}confirm/" in self.page(upload), 60, pause=0.2)
        self.send(upload, f"{upload}confirm/")
        wait_for(lambda: self._led(upload).startswith("/submissions/"), 60, pause=0.2)
        return self._led(upload)

    def _led(self, path: str) -> str:
        answer = self._session.get(self._address + path, timeout=30)
        return answer.url.removeprefix(self._address)

    def verdicts(self, submission: str) -> list[dict[str, Any]]:
        """The verdicts in the file that a submission's page offers."""
        text = self.page(f"{submission}verdicts.jsonl")
        return [json.loads(line) for line in text.splitlines()]
