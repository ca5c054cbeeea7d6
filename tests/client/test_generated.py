"""A client that openapi-python-client makes from the API's document uploads, waits, publishes and
reads boards, from a virtual environment of its own; the numbers are the page's."""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from http.client import HTTPConnection
from pathlib import Path

import pytest

from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_folder, samples
from tests.client.conftest import TOKENS
from tests.support.commands import wait_for
from tests.support.stack import QUICK, Stack, running_stack

pytestmark = pytest.mark.acceptance
FOLDERS = {slug: folder for slug in FAMILIES if (folder := sample_folder(slug)) is not None}
_IMPORT = """
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_answers, sample_folder, sample_tasks
from evaluation.management.commands.seed_demo import put_source_trees
from leaderboard.benchmarks.importing import import_revision
for slug in FAMILIES:
    folder = sample_folder(slug)
    if folder is not None and slug != "rucodeeval":
        put_source_trees(folder)
        files = {"tasks": sample_tasks(folder), "answers": sample_answers(folder)}
        import_revision(family_slug=slug, **files, label="sample")
"""
_LOSE_RECEIPTS = """
from leaderboard.scores.models import Board, Receipt
Receipt.objects.all().delete()
Board.objects.update(rung=None, made_at="2026-01-01T00:00:00Z")
"""
# Prints the board's rows and metric, or the progress of a result that waits for raters.
_PROGRAM = """
import json, sys, time
from pathlib import Path
from generated import AuthenticatedClient
from generated.api.reading import board
from generated.api.submissions import submission_progress, submission_publish
from generated.api.team import entrant_new
from generated.api.uploads import upload, upload_new, upload_submit
from generated.models import Confirmation, NewEntrant, UploadNewMultiPartBodyParams
from generated.types import File

site, token, slug, name, setting, path = sys.argv[1:]
client = AuthenticatedClient(base_url=site, token=token, raise_on_unexpected_status=True)

def wait(ask):
    answer = ask()
    while not answer.over and getattr(answer, "state", "") != "checked":
        time.sleep(0.5)
        answer = ask()
    return answer

entrant = entrant_new.sync(client=client, body=NewEntrant(name=name))
with open(path, "rb") as file:
    form = UploadNewMultiPartBodyParams(
        benchmark=slug, entrant=entrant.slug, setting=setting, file=File(file, Path(path).name)
    )
    sent = upload_new.sync(client=client, body=form)
checked = wait(lambda: upload.sync(sent.id, client=client))
assert checked.report.ok, checked
said = Confirmation(confirmed=checked.report.confirmations)
upload_submit.sync(sent.id, client=client, body=said)
stored = wait(lambda: upload.sync(sent.id, client=client))
ended = wait(lambda: submission_progress.sync(stored.submission, client=client))
if slug == "aixbench-nl":
    print(json.dumps(ended.to_dict()))
    sys.exit()
submission_publish.sync(stored.submission, client=client)
while not (answer := board.sync(slug, client=client, setting=setting)).rows:
    time.sleep(0.5)
print(json.dumps(answer.to_dict()))
"""


@pytest.fixture(scope="module")
def installation(migrated: Path) -> Iterator[tuple[Stack, str]]:
    """A site with the samples of all families, and a token."""
    with tempfile.TemporaryDirectory() as folder:
        # Leases as long as on a site: the preparation of a project outlasts short ones.
        stack = Stack(Path(folder), **(QUICK | {"ASSAY_LEASE_SECONDS": "60"}))
        printed = stack.prepare(TOKENS + _IMPORT, migrated=migrated).splitlines()
        with running_stack(stack):
            yield stack, next(line.split()[1] for line in printed if line.startswith("token "))


@pytest.fixture(scope="module")
def site(installation: tuple[Stack, str]) -> Stack:
    return installation[0]


@pytest.fixture(scope="module")
def python(site: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the generated client as the package `generated`."""
    folder = tmp_path_factory.mktemp("generator")
    venv.create(folder, with_pip=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "openapi-python-client<1"]
    subprocess.run(pip, check=True)
    document = f"http://127.0.0.1:{site.port}/api/v1/openapi.json"
    package = next(folder.glob("lib/python*/site-packages")) / "generated"
    words = ["generate", "--url", document, "--meta", "none", "--output-path", package]
    done = subprocess.run(
        [folder / "bin/openapi-python-client", *words],
        env={"PATH": str(Path(sys.executable).parent)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "Warning" not in done.stdout + done.stderr, done
    return folder / "bin/python"


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("family", FOLDERS)
def test_a_generated_client_has_the_page_s_numbers(
    installation: tuple[Stack, str], python: Path, tmp_path: Path, family: str
) -> None:
    site, token = installation
    sample = next(row for row in samples(FOLDERS[family]) if row.model == "birch")
    slug, address = family.replace("_", "-"), f"http://127.0.0.1:{site.port}"
    name = f"Birch {family}"
    words = (address, token, slug, name, sample.setting, sample.sent_from(tmp_path))
    done = subprocess.run(
        [python, "-c", _PROGRAM, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    if family == "aixbench_nl":
        assert (answer["state"], answer["published"]) == ("done", None)
        return
    (row,) = answer["rows"]
    assert row["entrant"] == name and row["score"] is not None
    query = f"?setting={sample.setting}"
    with urllib.request.urlopen(f"{address}/benchmarks/{slug}/{query}") as page:
        shown = re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page.read().decode())))
    numbers = (
        f"{100 * row[field]:.1f}" for field in ("score", "low", "high") if row[field] is not None
    )
    of_row = shown.partition(f" {name} ")[2][:300]
    assert all(number in of_row for number in numbers), of_row


def test_a_connection_is_kept_longer_than_a_client_reuses_it(site: Stack) -> None:
    """Otherwise a request is lost if it meets the close. httpx reuses one for five seconds."""
    connection = HTTPConnection("127.0.0.1", site.port, timeout=5.5)
    with closing(connection):
        connection.request("GET", "/health/")
        connection.getresponse().read()
        with pytest.raises(TimeoutError):
            connection.sock.recv(1)


def test_a_missing_receipt_is_made_again_through_the_queue(site: Stack) -> None:
    """The reconciler finds the board, the job signs: the order is not made anew."""
    boards = site.rows("SELECT id, made FROM scores_board WHERE made > 0 ORDER BY id")
    results = site.number("SELECT count(*) FROM submissions_submission WHERE published NOTNULL")
    assert results

    def all_have_receipts() -> bool:
        return bool(site.number("SELECT count(*) FROM scores_receipt") == results)

    wait_for(all_have_receipts, pause=0.5)
    site.script(_LOSE_RECEIPTS)
    wait_for(all_have_receipts, pause=0.5)
    assert site.rows("SELECT id, made FROM scores_board WHERE made > 0 ORDER BY id") == boards
