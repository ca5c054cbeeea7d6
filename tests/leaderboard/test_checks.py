"""Tests of the problems that an installation reports before it runs, each with its remedy."""

import os
import re
import socketserver
import subprocess
import sys
import threading
from io import StringIO
from pathlib import Path
from typing import Any

import dj_database_url
import pytest
from django.apps import apps
from django.core.checks import CheckMessage
from django.core.checks.registry import registry
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import ConnectionHandler
from django.db.models import UniqueConstraint
from pytest_django.fixtures import Settings
from redis import Redis

from evaluation.engine.sandbox import docker, selfcheck, selfcheck_java
from leaderboard import checks
from tests.support.postgres import Cluster
from tests.support.valkey import Queue

ROOT = Path(__file__).parents[2]
SECRET_KEY = "k7Vw0pXc9TqLz3RjN5mBhYd2GfSuA8eKo1WiPvZxCtQrMnEb6JyHgUlDsOa4F"
SMTP = "django.core.mail.backends.smtp.EmailBackend"


def test_a_site_without_https_is_told_so(settings: Settings) -> None:
    settings.HTTPS, said = False, StringIO()
    call_command("check", "--deploy", "--tag", "security", stderr=said)
    assert "Passwords cross the network unencrypted." in said.getvalue()
    assert "set ASSAY_HTTPS=1" in said.getvalue()


def sentences(found: list[Any]) -> list[str]:
    """The sentences of the messages, each of which must have a remedy."""
    assert all(isinstance(message, CheckMessage) and message.hint for message in found)
    return [str(message.msg) for message in found]


def test_the_defaults_have_nothing_to_mend(db: None) -> None:
    call_command("check", "--database", "default", "--fail-level", "WARNING")


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    tmp_path.chmod(0o700)
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_a_private_data_directory_is_fine_and_one_that_others_reach_is_told(folder: Path) -> None:
    assert checks.data_directory() == []
    key = folder / "secret-key"
    key.write_text("secret")
    for path, mode in ((folder, 0o750), (key, 0o644)):
        folder.chmod(0o700)
        path.chmod(mode)
        assert f"Other users of this machine can reach {path}." in sentences(
            checks.data_directory()
        )


def test_a_missing_data_directory_is_an_error(folder: Path, settings: Settings) -> None:
    settings.DATA_DIR = folder / "none"
    assert sentences(checks.data_directory()) == [
        f"The data directory {folder / 'none'} does not exist."
    ]


def test_a_data_directory_that_cannot_be_written_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The tests may run as root, who can write anywhere, so the system's answer is given here.
    monkeypatch.setattr(os, "access", lambda *_asked: False)
    assert sentences(checks.data_directory()) == [f"The data directory {folder} cannot be written."]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"VALKEY_URL": ""}, "No queue is set, and with the embedded mode off none is started."),
        ({"DEBUG": True}, "Debugging is on although the embedded mode is off."),
        ({"SECRET_KEY": "short"}, "The secret key has fewer than 32 characters."),
        (
            {"DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3"}}},
            "The database is SQLite, so workers on other hosts cannot reach it.",
        ),
    ],
    ids=["queue", "debug", "key", "database"],
)
def test_outside_the_embedded_mode_more_has_to_be_set(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], sentence: str
) -> None:
    own_socket = f"unix://{settings.VALKEY_SOCKET}"
    fine = {
        "VALKEY_URL": "redis://valkey:6379/0",
        "SECRET_KEY": SECRET_KEY,
        "DATABASES": {"default": {"ENGINE": "django.db.backends.postgresql"}},
    }
    for name, value in (fine | wrong).items():
        # The connections stay as they are.
        monkeypatch.setattr(settings._wrapped, name, value or own_socket, raising=False)
    assert checks.without_embedded_mode() == []
    settings.EMBEDDED = False
    assert sentences(checks.without_embedded_mode()) == [sentence]
    for name in wrong.keys() & fine.keys():
        monkeypatch.setattr(settings._wrapped, name, fine[name], raising=False)
    settings.DEBUG = False
    assert checks.without_embedded_mode() == []


def test_what_sqlite_does_is_asked_of_the_file_itself(tmp_path: Path) -> None:
    """The command asks an installation's database for its journal mode."""
    tmp_path.chmod(0o700)
    cleared = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    cleared.pop("DJANGO_SETTINGS_MODULE", None)
    cleared.pop("DATABASE_URL", None)
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "check", "--database", "default"],
        env=cleared | {"ASSAY_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout + done.stderr == "System check identified no issues (0 silenced).\n"


def test_a_public_site_needs_a_name_and_trusts_its_proxy(settings: Settings) -> None:
    settings.HTTPS, settings.EMBEDDED, settings.ALLOWED_HOSTS = True, False, ["localhost"]
    settings.MAIL_BACKEND = SMTP
    assert sentences(checks.public_site()) == [
        "No proxy is trusted, so all clients share the limits of one address.",
        "The site answers only to this machine's own name.",
    ]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            {"ALLOWED_HOSTS": ["a.org", "*"]},
            "The site answers to any name, because ASSAY_ALLOWED_HOSTS contains *.",
        ),
        (
            {"VALKEY_URL": "redis://valkey:6379/0"},
            "The queue on valkey has no password, and whoever writes to it starts work.",
        ),
        (
            {"MAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"},
            "Mail reaches nobody: it goes to the log.",
        ),
    ],
    ids=["hosts", "queue", "mail"],
)
def test_a_public_site_is_refused_with(
    settings: Settings, wrong: dict[str, Any], sentence: str
) -> None:
    fine: dict[str, Any] = {"HTTPS": True, "EMBEDDED": False, "ALLOWED_HOSTS": ["a.org"]}
    fine |= {"MAIL_BACKEND": SMTP, "TRUSTED_PROXIES": 1}
    for name, value in (fine | {"VALKEY_URL": "redis://:rung@valkey:6379/0"} | wrong).items():
        setattr(settings, name, value)
    problems = checks.public_site()
    assert sentences(problems) == [sentence]
    assert [problem.is_serious() for problem in problems] == [True]


@pytest.mark.parametrize("url", ["redis://localhost:6379/0", "redis://127.0.0.1", "unix:///q"])
def test_a_queue_of_this_host_needs_no_password(settings: Settings, url: str) -> None:
    settings.VALKEY_URL = url
    assert "assay.E011" not in [problem.id for problem in checks.public_site()]


class MailServer(socketserver.StreamRequestHandler):
    """Greets, and accepts nothing but the end."""

    def handle(self) -> None:
        self.wfile.write(b"220 mail.example\r\n")
        while word := self.rfile.readline()[:4].upper():
            self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n")


@pytest.mark.any_database
def test_check_connects_to_the_servers_and_says_which_one_fails(
    db: None, tmp_path: Path, postgres: Cluster, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def problems(database: str) -> str:
        handler = ConnectionHandler({"default": dj_database_url.parse(database)})
        monkeypatch.setattr(checks, "connections", handler)
        try:
            call_command("check", "--deploy", "--tag", "database", databases=["default"])
        except SystemCheckError as error:
            return str(error)
        return ""

    queue = Queue(tmp_path / "q")
    queue.start()
    Redis.from_url(queue.url).config_set("requirepass", "rung")
    settings.EMBEDDED_QUEUE, settings.MAIL_BACKEND = False, SMTP
    settings.VALKEY_URL = queue.url.replace("unix://", "unix://:rung@")
    with socketserver.TCPServer(("127.0.0.1", 0), MailServer) as mail:
        threading.Thread(target=mail.serve_forever, daemon=True).start()
        settings.EMAIL_HOST, settings.EMAIL_PORT = mail.server_address
        assert problems(postgres.url) == ""
        mail.shutdown()
    settings.VALKEY_URL = queue.url.replace("unix://", "unix://:guessed@")
    said = problems(postgres.url_of("none"))
    queue.kill()
    assert re.findall(r"The (.*) cannot be used: (.{12}).*\n\tHINT: (.{24})", said) == [
        ("database", "connection f", "Start it, or correct DAT"),
        ("queue", "invalid user", "Start it, or correct ASS"),
        ("mail server", "[Errno 111] ", "Start it, or correct ASS"),
    ]
    assert "guessed" not in said


def test_no_other_command_waits_for_the_servers() -> None:
    """`migrate` checks the database too, before the queue runs."""
    waiting = registry.get_checks(include_deployment_checks=False)
    assert checks.servers not in waiting
    assert checks.servers(databases=None) == []


@pytest.fixture
def few_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the list of probes; tests/evaluation/cli/test_machinery.py tries the full list."""
    monkeypatch.setitem(selfcheck._LISTS, "python", ("selfcheck",))
    for module in (selfcheck, selfcheck_java):
        monkeypatch.setattr(module, "_PROBES", module._PROBES[:3])
    monkeypatch.setattr(selfcheck_java, "_OUTSIDE_PROBES", selfcheck_java._OUTSIDE_PROBES[:3])


@pytest.mark.docker
@pytest.mark.usefixtures("few_probes")
def test_check_sandbox_says_what_held_and_names_the_claim_that_did_not(
    image: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    too_much = selfcheck_java._refused("no object", "new Object()")
    monkeypatch.setattr(selfcheck_java, "_PROBES", (too_much, *selfcheck_java._PROBES))
    with pytest.raises(CommandError, match="1 of the checks for Java failed"):
        call_command("check_sandbox")
    said = capsys.readouterr().out
    assert "ok   no socket of AF_INET\n" in said
    assert "The sandbox for Python passed all checks.\n" in said
    assert "ok   Java: a correct program passes\n" in said
    assert re.findall(r"^FAIL .*$", said, re.M) == ["FAIL Java: no object"]


def test_check_sandbox_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    docker.client.cache_clear()
    try:
        with pytest.raises(CommandError, match="^connecting to Docker: "):
            call_command("check_sandbox")
    finally:
        docker.client.cache_clear()


def test_no_index_repeats_the_first_column_of_another() -> None:
    """Such an index takes room and time for nothing: PostgreSQL and SQLite use the longer one."""
    found = []
    for model in apps.get_models():
        if not model.__module__.startswith(("leaderboard.", "evaluation.")):
            continue
        whole = [one for one in model._meta.constraints if isinstance(one, UniqueConstraint)]
        longer = {
            one.fields[0]
            for one in (*whole, *model._meta.indexes)
            if one.fields and one.condition is None
        }
        found += [
            f"{model._meta.label}.{field.name}"
            for field in model._meta.concrete_fields
            if field.db_index and not field.unique and field.name in longer
        ]
    assert found == []
