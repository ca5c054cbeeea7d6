"""The API answers as its own document says, whatever is asked: schemathesis, from a virtual
environment of its own, asks a site whose objects it knows as a visitor, a member and a rival."""

import subprocess
import venv
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard import limits
from tests.leaderboard.addresses.marked import Site
from tests.leaderboard.api.conftest import token_of
from tests.support.cast import Cast
from tests.support.site import own_caches, quick

__all__ = ["own_caches", "quick"]
EXAMPLES = 15
CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_schema_conformance", "response_headers_conformance",
)  # fmt: skip


@pytest.fixture(scope="session")
def schemathesis(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schemathesis")
    venv.create(folder, with_pip=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "schemathesis>=4,<5"]
    subprocess.run(pip, check=True)
    return folder / "bin/st"


def objects(site: Site, who: str) -> str:
    """The configuration that names objects of the site for the parameters of addresses: the team's
    own for a member, which are another team's for the rival."""
    submission = site.published if who == "visitor" else site.private
    parts = (
        ("/submissions/", "public_id", submission.public_id),
        ("/uploads/", "public_id", site.upload.public_id),
        ("/receipts/", "digest", site.receipt.digest),
        ("/benchmarks/", "slug", "rucodeeval"),
        ("/entrants/", "slug", "larch"),
    )
    return "".join(
        f'[[operations]]\ninclude-path-regex = "{path}"\nparameters."path.{name}" = "{value}"\n'
        for path, name, value in parts
    )


@pytest.mark.acceptance
@pytest.mark.timeout(1800)
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["visitor", "member", "rival"])
def test_every_answer_is_as_the_document_says(
    live_server: LiveServer, quick: None, own_caches: None, schemathesis: Path, tmp_path: Path,
    settings: Settings, monkeypatch: pytest.MonkeyPatch, who: str,
) -> None:  # fmt: skip
    settings.RECEIPT_KEY, settings.MEDIA_ROOT = tmp_path / "key", tmp_path
    settings.ENDPOINT_RUNS = 1
    monkeypatch.setattr(limits, "_BY_ROUTE", {})
    site = Site(Cast())
    (tmp_path / "schemathesis.toml").write_text(objects(site, who))
    person, team = {
        "member": (site.cast.bob, "northwood"),
        "rival": (site.cast.charlie, "fenland"),
    }.get(who, (None, ""))
    token = ["-H", f"Authorization: Bearer {token_of(person, team)}"] if person else []
    document = f"{live_server.url}/api/v1/openapi.json"
    done = subprocess.run(
        [
            *(schemathesis, "run", document, "--checks", ",".join(CHECKS), *token),
            *("--max-examples", str(EXAMPLES), "--phases", "coverage,fuzzing", "--no-color"),
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
