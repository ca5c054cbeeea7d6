"""Fixtures of the browser tests: Chromium, and one installation that judges in real sandboxes."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from django.db import connections
from playwright.sync_api import Browser, expect

from tests.browser.people import PASSWORD
from tests.support import predictions
from tests.support.browser import browser
from tests.support.databases import on_postgresql
from tests.support.endpoint import Endpoint, serving
from tests.support.site import own_caches, quick
from tests.support.stack import Stack, running_stack
from tests.support.transcripts import FORGED, tasks_file

__all__ = ["chromium", "own_caches", "quick"]

# Other tests share the processors, so that a page may load slowly.
expect.set_options(timeout=60_000)
# The imported tasks of CodeIF-Bench: those with an honest conversation.
TALKED = (FORGED,)
# Another entrant, and a task of CodeIF-Bench with instructions.
_MORE = """
Entrant.objects.create(
    team=team, name="Plover", slug="plover", organisation="Fenland", weights="open"
)
call_command("import_benchmark", "codeif_function", "{tasks}", "--revision", "one", "--list")
User.objects.create_superuser("staff", "staff@example.org", "{password}")
"""
_PUBLISH = """
from django.core.management import call_command
for entrant in ("larch", "plover"):
    call_command("submit", "rucodeeval", "{file}", "--entrant", entrant, "--publish")
"""


class Files(NamedTuple):
    """Predictions with two samples for each of the twelve tasks, and the same with an error in line
    3."""

    good: Path
    broken: Path


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """On SQLite, uses a database file, as an installation does. With a database in memory, all
    threads of the server share one connection: concurrent requests fail there and do not wait for a
    lock."""
    if not on_postgresql():
        place = tmp_path_factory.mktemp("database") / "pages.sqlite3"
        connections["default"].settings_dict["TEST"]["NAME"] = str(place)


# Not for the session: tests elsewhere start a browser themselves, and a thread can have only one.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="package")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("predictions")
    made = Files(folder / "good.jsonl", folder / "broken.jsonl")
    predictions.write_quick(made.good, 24)
    lines = made.good.read_text("utf-8").splitlines()
    lines[2] = json.dumps({"task_id": "no-such-task", "completion": "    pass"})
    made.broken.write_text("\n".join(lines), "utf-8")
    return made


@pytest.fixture(scope="package")
def endpoint() -> Iterator[Endpoint]:
    """An endpoint that answers slowly enough for a test to watch the run."""
    with serving(Endpoint(lambda _: "    return None", pause=1.0)) as scripted:
        yield scripted


@pytest.fixture(scope="package")
def installation(files: Files, endpoint: Endpoint, migrated: Path | None) -> Iterator[str]:
    """The address of an installation with the sample tasks, a task of CodeIF-Bench and two
    published results, Larch's and Plover's. Its operator lists the endpoint."""
    listed = endpoint.url.removesuffix("/v1")
    # A short path: a Unix socket's path may have at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="assay-browser-") as folder:
        stack = Stack(
            Path(folder),
            ASSAY_ENDPOINT_RUNS="1",
            ASSAY_ENDPOINTS=listed,
            # Nothing is lost here, so that nothing waits for it.
            ASSAY_RECONCILE_SECONDS="3",
        )
        # Nobody here submits two files at once.
        stack.processes = 1
        stack.prepare(
            _MORE.format(tasks=tasks_file(Path(folder), TALKED), password=PASSWORD), migrated
        )
        with running_stack(stack):
            stack.script(_PUBLISH.format(file=files.good))
            yield f"http://127.0.0.1:{stack.port}"
