"""Tests that Dockerfile, compose.yaml, the container's entry and the documents agree."""

import os
import re
import subprocess
from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import get_commands
from docker.utils.build import exclude_paths

from scripts.tools_for_tests import postgres_programs
from tests.support.commands import ROOT
from tests.support.postgres import USER, Cluster, cluster
from tests.support.proxy import free_port

DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = (ROOT / "compose.yaml").read_text()
ENTRY = (ROOT / "scripts/container.sh").read_text()
SETTINGS = (ROOT / "docs/operators/settings.md").read_text()
DEPLOYMENT = (ROOT / "docs/operators/deployment.md").read_text()
STATEMENTS = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE))


def context() -> set[str]:
    """The files that .dockerignore lets through to Docker."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    return set(exclude_paths(str(ROOT), patterns, dockerfile="Dockerfile"))


def services() -> dict[str, str]:
    """The text of each service of compose.yaml, by name."""
    text = COMPOSE.partition("\nservices:\n")[2].partition("\nnetworks:\n")[0]
    parts = re.split(r"^  (\w+):\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_dockerfile_copies_only_what_the_context_holds() -> None:
    sources = re.findall(r"^COPY (?!--from)(.*) \S+$", STATEMENTS, re.MULTILINE)
    named = {one for line in sources for one in line.split()} - {"ca-bundle.cr[t]", "."}
    assert named == {"requirements.lock"}
    assert named <= context()


def test_the_context_holds_what_runs_and_nothing_private() -> None:
    found = context()
    tops = {path.split("/")[0] for path in found}
    assert {"manage.py", "evaluation", "leaderboard", "static", "templates", "docs"} <= tops
    assert tops.isdisjoint({"tests", "var", "reports", ".git", ".venv", ".env", "bench"})
    assert not [path for path in found if path.endswith((".pyc", ".sqlite3", "secret-key"))]
    # These are not Python files, and easily forgotten: without them no sandbox image can be looked
    # up or made.
    assert "evaluation/engine/sandbox/image_build.sh" in found
    assert "scripts/container.sh" in found


def test_the_dockerfile_needs_no_buildkit() -> None:
    assert not re.search(r"^# *syntax|--mount|--link|--chmod|<<", DOCKERFILE, re.MULTILINE)


def test_the_image_is_not_run_by_root() -> None:
    assert re.findall(r"^USER (.*)$", STATEMENTS, re.MULTILINE) == ["assay"]


def test_the_container_runs_commands_that_exist() -> None:
    named = set(re.findall(r"manage\.py (\w+)", ENTRY))
    assert named == {"web", "worker", "reconcile", "notifier", "migrate"}
    assert named <= set(get_commands())


def test_compose_starts_what_the_container_knows() -> None:
    known = set(re.findall(r"^(\w+)\) exec", ENTRY, re.MULTILINE))
    started = re.findall(r"^    command: \[(\w+)\]", COMPOSE, re.MULTILINE)
    assert sorted(started) == sorted(known)
    assert set(services()) == known | {"postgres", "valkey"}


def test_compose_publishes_the_pages_alone_and_on_this_host_only() -> None:
    publishing = {name: text for name, text in services().items() if "ports:" in text}
    assert set(publishing) == {"web"}
    assert re.findall(r'ports: \["(.*?):', publishing["web"]) == ["127.0.0.1"]


def test_only_the_worker_holds_the_docker_socket() -> None:
    assert [name for name, text in services().items() if "docker.sock:" in text] == ["worker"]


def test_compose_passes_every_setting_that_its_containers_can_use() -> None:
    settings = set(re.findall(r"^\| `(\w+)`", SETTINGS, re.MULTILINE))
    left_out = DEPLOYMENT.partition("| other settings |")[2].partition("\n")[0]
    not_passed = set(re.findall(r"`(\w+)`", left_out))
    passed = set(re.findall(r"^ +((?:ASSAY|DATABASE)_\w+): ", COMPOSE, re.MULTILINE))
    assert not_passed < settings
    assert sorted(passed) == sorted(settings - not_passed)


def test_compose_passes_a_setting_under_its_own_name() -> None:
    passed = re.findall(r"^ +(ASSAY_\w+): \$\{(\w+)", COMPOSE, re.MULTILINE)
    assert [pair for pair in passed if pair[0] != pair[1]] == []


def test_compose_holds_no_secret_and_every_name_is_explained() -> None:
    secret = re.findall(r"^ +\w*(?:PASSWORD|SECRET_KEY): (.*)$", COMPOSE, re.MULTILINE)
    assert secret
    assert all(value.startswith("${") for value in secret)
    names = set(re.findall(r"\$\{(\w+)", COMPOSE))
    assert {name for name in names if f"`{name}`" not in DEPLOYMENT + SETTINGS} == set()


def test_the_notifier_alone_can_send_mail() -> None:
    """The pages write the sender into a message; all other settings are the notifier's."""
    settings = set(re.findall(r"`(ASSAY_EMAIL_\w+)`", SETTINGS)) - {"ASSAY_EMAIL_FROM"}
    assert settings
    passed = {
        name: set(re.findall(r"^ +(ASSAY_EMAIL_\w+): ", text, re.MULTILINE))
        for name, text in services().items()
    }
    assert passed.pop("notifier") == settings
    assert passed.pop("web") == {"ASSAY_EMAIL_FROM"}
    assert set().union(*passed.values()) == set()
    assert "networks: [inside, outside]" in services()["notifier"]


def test_what_lasts_lies_in_volumes() -> None:
    declared = set(re.findall(r"^  (\w+): \{\}$", COMPOSE.partition("\nvolumes:\n")[2], re.M))
    assert declared == {"postgres", "data", "state", "slots"}
    assert 'volumes: ["data:/var/lib/assay"]' in COMPOSE.partition("\nservices:\n")[0]
    replacing = {name for name, text in services().items() if "volumes:" in text}
    assert replacing == {"worker", "postgres"}
    assert "- data:/var/lib/assay\n" in services()["worker"]


def test_every_service_is_read_only_and_limited_and_its_log_is_rotated() -> None:
    ours, rotated = COMPOSE.partition("\nservices:\n")[0], "logging: *rotated"
    for name, text in services().items():
        whole = text + (ours if "<<: *assay" in text else "")
        for line in ("read_only: true", "mem_limit: ", "pids_limit: ", rotated, "no-new-priv"):
            assert line in whole, (name, line)
    assert "max-size" in ours and "max-file" in ours


def test_certificates_of_the_build_stay_out_of_the_image() -> None:
    """Only the stage `packages` sees the whole context; the image is copied out of it."""
    build, image = re.split(r"^FROM \S+$", STATEMENTS, flags=re.MULTILINE)
    assert re.search(r"COPY \. /app\nRUN rm -f /app/ca-bundle\.crt ", build)
    assert set(re.findall(r"^COPY (\S+)", image, re.MULTILINE)) == {"--from=packages"}


@pytest.fixture
def server() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


def test_the_database_is_not_ready_while_its_image_still_prepares_it(server: Cluster) -> None:
    """Until scripts/database.sh has run, the image's server listens only on its socket, as this one
    does; a migration that began then would fail."""
    programs, port = postgres_programs(), free_port()
    assert programs is not None
    # No other server of this machine has that port.
    (server.folder / f".s.PGSQL.{port}").symlink_to(".s.PGSQL.5432")
    environment = {"PGHOST": str(server.folder), "PGPORT": str(port)}
    (check,) = re.findall(r"test: \[CMD, (pg_isready.*)\]", services()["postgres"])
    name, *options = check.split(", ")
    assert subprocess.run([programs / name], env=environment).returncode == 0
    assert subprocess.run([programs / name, *options], env=environment).returncode == 2


def test_the_sites_role_owns_its_database_and_nothing_else(server: Cluster) -> None:
    with psycopg.connect(server.url_of("postgres"), autocommit=True) as connection:
        connection.execute("CREATE ROLE postgres SUPERUSER LOGIN")
    postgres = server.url_of("postgres").replace(f"//{USER}@", "//postgres@")
    with psycopg.connect(postgres, autocommit=True) as connection:
        # The tests' own superuser has the name of the site's role.
        connection.execute("ALTER ROLE assay RENAME TO other")
        connection.execute("ALTER DATABASE assay RENAME TO other")
    environment = {"PGHOST": str(server.folder), "POSTGRES_USER": "postgres"}
    script = ROOT / "scripts/database.sh"
    subprocess.run([script], env={**os.environ, **environment, "SITE_PASSWORD": "it's"}, check=True)

    def asked(statement: str, database: str = "assay") -> None:
        with psycopg.connect(server.url_of(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    asked("CREATE TABLE mine (number integer)")
    asked("CREATE FUNCTION mine() RETURNS trigger AS 'BEGIN RETURN NEW; END' LANGUAGE plpgsql")
    for statement in (
        "CREATE DATABASE more",
        "CREATE ROLE more",
        "COPY mine FROM PROGRAM 'id'",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT rolpassword FROM pg_authid",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            asked(statement)
    for database in ("postgres", "template1"):
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            asked("SELECT 1", database)
