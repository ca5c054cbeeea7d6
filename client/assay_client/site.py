"""A site's API. A request that gets no answer is sent again: what changes something has an
Idempotency-Key, so that nothing is done twice."""

import random
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from hashlib import file_digest, sha256
from json import dumps
from pathlib import Path
from secrets import token_hex
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, Self, TypeVar, cast

import httpx2

from assay_client.credentials import credentials
from assay_client.errors import Failed, Refused, Unreachable
from assay_client.receipts import Json, checked, content_of

VERSION = "0.1.0"
# Seconds: without an answer until a request is given up; between two looks at what is under way.
PATIENCE, UPLOAD_POLL, JUDGING_POLL = 900.0, 1.0, 5.0
_TIMEOUT = httpx2.Timeout(60.0, connect=15.0)
# The site stores a file before it answers.
_UPLOAD_TIMEOUT = httpx2.Timeout(60.0, connect=15.0, read=300.0)
_AGAIN = {408, 425, 429, 500, 502, 503, 504}
# The states of an upload in which nothing more happens.
_ENDED = frozenset({"refused", "stored", "discarded"})
_Answer = TypeVar("_Answer")


class Site:
    """A connection to a site. `report` gets a line about what is under way, again and again;
    `patience` is the number of seconds without an answer after which a request is given up. Methods
    raise Refused for what the site refuses, Failed for what it could not do, Unreachable. Answers
    are those of docs/users/api.md."""

    def __init__(
        self,
        address: str,
        token: str = "",
        *,
        report: Callable[[str], object] = str,
        patience: float = PATIENCE,
    ) -> None:
        self.address, self._report, self._patience = address, report, patience
        headers = {"User-Agent": f"assay-client/{VERSION}", "Accept": "application/json"}
        if not (token.isascii() and token.isprintable()):
            raise Refused("The token has characters that no token has. Copy it again.")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        base = f"{address}/api/v1/"
        try:
            self._client = httpx2.Client(base_url=base, headers=headers, timeout=_TIMEOUT)
        except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
            raise Refused(
                f"The environment names an unusable proxy or certificate: {error}"
            ) from error

    @classmethod
    def connected(cls, site: str | None = None, token: str | None = None, **options: Any) -> Self:
        """With the address and token of the environment, or of `assay login`."""
        return cls(*credentials(site, token), **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._client.close()

    def check(self, file: str | Path, *, benchmark: str, setting: str = "") -> Json:
        """The report of a file that is not submitted."""
        fields = {"benchmark": benchmark, "setting": setting, "check": "true"}
        # A key of its own: the report of an earlier check is deleted soon.
        upload, _is_repeated = self._uploaded(Path(file), fields, token_hex())
        if report := self._report_of(self._upload_at(upload, {"checked"} | _ENDED)):
            return report
        raise Failed("Somebody discarded the upload.")

    def submit(
        self,
        file: str | Path,
        *,
        benchmark: str,
        entrant: str,
        setting: str = "",
        confirm: Callable[[Sequence[str]], bool] = lambda _sentences: False,
    ) -> Json:
        """The stored upload; its `submission` is the id to ask for. `confirm` decides on the
        sentences that a person has to confirm. The same file for the same board and entrant within
        a day is one submission, unless nothing came of it: it was refused, discarded, cancelled or
        deleted."""
        fields = {"benchmark": benchmark, "setting": setting, "entrant": entrant}
        before = "submit"
        while True:
            upload, is_repeated = self._uploaded(Path(file), fields, before)
            before = upload["id"]
            try:
                upload = self._get(f"uploads/{before}")
                if not (is_repeated and self._is_given_up(upload)):
                    break
            except Refused as error:
                if not (is_repeated and error.status == 404):  # deleted with its entrant
                    raise
        upload = self._upload_at(upload, {"checked"} | _ENDED)
        if upload["state"] == "checked":
            sentences = self._report_of(upload)["confirmations"]
            if sentences and not confirm(sentences):
                words = "Nobody confirmed this; `assay submit --confirm` does:"
                raise Refused("\n".join((words, *sentences)))
            self._post(f"uploads/{upload['id']}/submit", json={"confirmed": sentences})
            upload = self._upload_at(upload, _ENDED)
        self._report_of(upload)
        if upload["submission"] is None:
            raise Failed("Somebody discarded the upload, or deleted its submission.")
        return upload

    def _is_given_up(self, upload: Json) -> bool:
        if (submission := upload["submission"]) is None:
            return upload["state"] in _ENDED
        return bool(self.status(submission)["state"] == "cancelled")

    def wait(self, submission: str) -> Json:
        """The progress of a submission when its evaluation is over. Raises Failed if it was refused
        or cancelled."""
        while not (progress := self.status(submission))["over"]:
            words = f"{progress['state']}: {progress['judged']} of {progress['total']} generations"
            if end := progress["expected_end"]:
                words += f", done between {end['earliest'][11:16]} and {end['latest'][11:16]} UTC"
            self._report(" ".join((f"{words}.", *progress["remarks"])))
            time.sleep(JUDGING_POLL)
        if progress["state"] in ("refused", "cancelled"):
            reasons = " ".join(progress["remarks"])
            text = f"The evaluation of {submission} was {progress['state']}. {reasons}"
            raise Failed(text, progress)
        return progress

    def status(self, submission: str) -> Json:
        """The progress of a submission."""
        return self._get(f"submissions/{submission}/progress")

    def submissions(self) -> Iterator[Json]:
        """The submissions of the token's team."""
        return self._pages("team/submissions")

    def verdicts(self, submission: str, file: str | Path) -> None:
        """Writes the verdicts, JSON lines, to a file, once all have arrived. A link, such as
        /dev/stdout, or a pipe stays what it is."""
        target = Path(file)
        is_replaced = not target.is_symlink() and (target.is_file() or not target.exists())
        # Nobody else can put a link there first.
        draft = target.parent / f"{target.name}.{token_hex(8)}"

        def write() -> None:
            with self._client.stream("GET", f"submissions/{submission}/verdicts") as answer:
                _require(answer)
                lines.truncate(lines.seek(0))
                for part in answer.iter_bytes():
                    lines.write(part)

        try:
            with draft.open("xb") if is_replaced else TemporaryFile() as lines:
                self._persistently(write)
                if not is_replaced:
                    lines.seek(0)
                    with target.open("wb") as output:
                        copyfileobj(lines, output)
            if is_replaced:
                draft.replace(target)
        except OSError as error:
            raise Refused(f"{target} cannot be written: {error.strerror}.") from error
        finally:
            with suppress(OSError):
                draft.unlink()

    def publish(self, submission: str) -> Json:
        """Publishes a result that is done."""
        return self._post(f"submissions/{submission}/publish", json={})

    def board(self, benchmark: str, **filters: str) -> Json:
        """A board; filters such as setting, revision, weights."""
        return self._get(f"benchmarks/{benchmark}/board", **filters)

    def compare(self, benchmark: str, first: str, second: str, **filters: str) -> Json:
        """The comparison of two entrants on a board."""
        path = f"benchmarks/{benchmark}/comparison"
        return self._get(path, first=first, second=second, **filters)

    def verify(
        self,
        receipt: str | Path,
        *,
        generations: str | Path | None = None,
        verdicts: str | Path | None = None,
        keys: str | Path | None = None,
    ) -> Json:
        """The statement of a receipt that is signed and of these files. `keys` is a stored
        assay-keys.json; without it the site is asked. Raises Refused, which names the part that
        differs, and Failed if it was superseded or withdrawn."""
        if keys is None:
            answer = self._get(f"{self.address}/.well-known/assay-keys.json")
            content = dumps(answer).encode()
        else:
            content = content_of(keys)

        def known(digest: str) -> bool:
            try:
                self._get(f"receipts/{digest}")
            except Refused as error:
                if error.status == 404:
                    return False
                raise
            return True

        files = {"generations": generations, "verdicts": verdicts}
        statement, digest = checked(receipt, content, **files, known=known)
        record = self._get(f"receipts/{digest}")
        if record["state"] != "valid":
            now = f" The valid one is {record['valid']}." if record["valid"] else ""
            raise Failed(f"The receipt is genuine, but {record['state']}.{now}", record)
        return statement

    def _token(self) -> Json:
        """The token's name, person, team, scopes and end."""
        return self._get("token")

    def _uploaded(self, path: Path, fields: dict[str, str], before: str) -> tuple[Json, bool]:
        """Sends a file; also whether it was sent before. The key derives from the file, the board
        and the entrant, and from what came `before`, so that a client that was killed repeats
        it."""
        try:
            with path.open("rb") as file:
                digest = file_digest(file, "sha256").hexdigest()
            size = path.stat().st_size
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}.") from error
        parts = (self.address, before, digest, path.name, *sorted(fields.values()))
        key = sha256("\0".join(parts).encode()).hexdigest()
        fields = {name: value for name, value in fields.items() if value}

        def tell(done: int) -> None:
            self._report(f"sending: {done / 2**20:.1f} of {size / 2**20:.1f} MiB")

        def send() -> tuple[Json, bool]:
            with path.open("rb") as file:
                sent = _Counted(file, tell)
                answer = self._client.post(
                    "uploads",
                    data=fields,
                    files={"file": (path.name, cast(IO[bytes], sent))},
                    headers={"Idempotency-Key": key},
                    timeout=_UPLOAD_TIMEOUT,
                )
            return _answered(answer), "Idempotent-Replayed" in answer.headers

        return self._persistently(send)

    def _upload_at(self, upload: Json, states: Set[str]) -> Json:
        while upload["state"] not in states:
            self._report(f"{upload['state']} …")
            time.sleep(UPLOAD_POLL)
            upload = self._get(f"uploads/{upload['id']}")
        if upload["state"] == "refused" and upload["cause"]:
            raise Failed(f"The site could not read the file: {upload['cause']}")
        return upload

    def _report_of(self, upload: Json) -> Json:
        """Raises Refused if the file has problems."""
        report: Json | None = upload["report"]
        if upload["state"] == "refused" or (report is not None and not report["ok"]):
            problems, more = (report["problems"], report["more"]) if report else ([], 0)
            further = f" ({more} more are not listed)" if more else ""
            text = f"{upload['file']} cannot be submitted as it is{further}:"
            raise Refused(text, 422, problems, report)
        return report or {}

    def _get(self, path: str, **query: str) -> Json:
        return self._persistently(lambda: _answered(self._client.get(path, params=query)))

    def _pages(self, path: str, **chosen: str) -> Iterator[Json]:
        query: dict[str, str] | None = chosen
        while query is not None:
            page = self._get(path, **query)
            yield from page["items"]
            # Of the address, its query alone: the token goes to no other host.
            query = dict(httpx2.URL(page["next"]).params) if page["next"] else None

    def _post(self, path: str, json: Json) -> Json:
        # What is sent again has the same key; a later command acts again.
        headers = {"Idempotency-Key": token_hex()}
        return self._persistently(
            lambda: _answered(self._client.post(path, json=json, headers=headers))
        )

    def _persistently(self, act: Callable[[], _Answer]) -> _Answer:
        """Acts again, after longer and longer pauses, while the site does not answer or says that
        it is busy."""
        end, pause = time.monotonic() + self._patience, 0.5
        while True:
            try:
                return act()
            except httpx2.LocalProtocolError as error:
                raise Refused("The request cannot be sent as it is.") from error
            except (httpx2.TransportError, httpx2.DecodingError) as error:
                reason, least = f"{self.address} does not answer ({error})", 0.0
            except _Busy as error:
                reason, least = error.args
            # Spread, so that many clients do not come back at once.
            spread = random.uniform(0.5, 1)  # noqa: S311  # no secret
            pause = max(min(2 * pause, 30.0) * spread, least)
            if time.monotonic() + pause > end:
                raise Unreachable(f"{reason}. Tried for {self._patience:.0f} s.")
            self._report(f"{reason}; again in {pause:.0f} s")
            time.sleep(pause)


class _Busy(Exception):
    """An answer, and the seconds after which the same request may be sent again."""


class _Counted:
    def __init__(self, file: IO[bytes], tell: Callable[[int], None]) -> None:
        self._file, self._tell = file, tell

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        part = self._file.read(size)
        self._tell(self._file.tell())
        return part


def _answered(answer: httpx2.Response) -> Json:
    _require(answer)
    with suppress(ValueError):
        if isinstance(content := answer.json(), dict):
            return content
    raise Refused(f"{answer.url} does not answer as an Assay site.", answer.status_code)


def _require(answer: httpx2.Response) -> None:
    """Raises _Busy or Refused for an answer that is an error."""
    status = answer.status_code
    if answer.is_success:
        return
    answer.read()
    try:
        problem: Json = answer.json()
        text = problem["detail"]
    except (ValueError, KeyError, TypeError):
        problem, text = {}, f"{answer.url} answered {status} {answer.reason_phrase}"
    after = answer.headers.get("Retry-After", "")
    runs_still = status == 409 and after
    if status in _AGAIN or runs_still:
        raise _Busy(text, float(after) if after.isdecimal() else 0.0)
    raise Refused(text, status, problem.get("errors", ()), problem or None)
