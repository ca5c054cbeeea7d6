"""Tests that lm-evaluation-harness's logs of our tasks can be uploaded unchanged."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from evaluation.engine.uploads import SlotIndex, check
from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.records import task_records
from leaderboard.pages.submissions.views.harness import documents, harness_settings, task_yaml
from tests.leaderboard.pages.submissions.visits import sample, visitor
from tests.support.cast import Cast
from tests.support.wordings import WORDING

pytestmark = pytest.mark.any_database

SLUGS = ("rucodeeval", "realcode_java", "codeif_function")


def logged(number: int, document: dict[str, Any], answers: list[str]) -> dict[str, Any]:
    """A line of a sample log, as version 0.4.13 of the harness writes it."""
    prompt = document["prompt"]
    asked = {"until": [], "max_gen_toks": 4096, "do_sample": False, "temperature": 0.0}
    return {
        "doc_id": number,
        "doc": document,
        "target": "",
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": asked}},
        "resps": [answers],
        "filtered_resps": [answers[0]],
        "filter": "none",
        "metrics": ["bypass"],
        "doc_hash": hashlib.sha256(json.dumps(document, indent=2).encode()).hexdigest(),
        "prompt_hash": hashlib.sha256(prompt.encode()).hexdigest(),
        "target_hash": hashlib.sha256(b"").hexdigest(),
        "bypass": 999,
    }


@pytest.mark.parametrize("slug", SLUGS)
def test_a_log_of_our_task_is_understood_whole(db: None, slug: str, tmp_path: Path) -> None:
    benchmark = sample(slug)
    family, tasks = benchmark.family, list(task_records(benchmark.current).values())
    assert harness_settings(benchmark)
    for setting in harness_settings(benchmark):
        index = SlotIndex.of(tasks, lambda task, setting=setting: family.slots(task, setting))
        asked = documents(benchmark, setting)
        lines = [logged(number, one, ["a", "b"]) for number, one in enumerate(asked)]
        file = tmp_path / "samples.jsonl"
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        report = check(file, index, family=slug)
        assert (report.problems, report.missing) == ((), ())
        assert (report.generations, report.samples_min) == (2 * len(lines), 2)
        assert "lm-evaluation-harness" in report.format_words


def test_a_revision_s_wording_is_what_the_harness_asks(cast: Cast) -> None:
    revision = cast.codeif.current
    assert revision is not None
    revision.prompts = WORDING
    asked = [one["prompt"] for one in documents(cast.codeif, "base")]
    assert asked and all(text.startswith("Kindly write it.") for text in asked)


def test_a_task_asks_as_the_benchmark_is_published(cast: Cast) -> None:
    lines = task_yaml(cast.rucodeeval, "base").splitlines()
    fields = {name: json.loads(value) for name, value in (one.split(": ", 1) for one in lines)}
    assert (fields["repeats"], fields["generation_kwargs"]["temperature"]) == (10, 0.0)
    assert fields["generation_kwargs"]["until"] == []
    assert fields["dataset_kwargs"]["data_files"]["test"] == "assay_rucodeeval_base.jsonl"


def test_the_page_shows_commands_whose_addresses_answer(cast: Cast) -> None:
    assert cast.rucodeeval and cast.codeif
    page = visitor().get(reverse("harness")).text
    addresses = re.findall(r"http://testserver(/harness/[^&'\x22\s]+)", page)
    assert len(addresses) == 6
    for address in addresses:
        answer = visitor().get(address)
        content = b"".join(answer) if answer.streaming else answer.content  # type: ignore[attr-defined]
        assert answer.status_code == 200
        assert content
        assert "attachment" in answer["Content-Disposition"]
    assert page.count("--log_samples --output_path results") == 3


@pytest.mark.parametrize("setting", ["multi_turn", "none"])
def test_what_cannot_be_asked_so_is_not_there(cast: Cast, setting: str) -> None:
    address = reverse("harness-task", args=[cast.codeif.slug, setting])
    assert visitor().get(address).status_code == 404


def test_a_benchmark_that_is_closed_or_unlisted_is_not_offered(cast: Cast) -> None:
    address = reverse("harness-questions", args=[cast.rucodeeval.slug, "base"])
    for change in ({"accepts": False}, {"accepts": True, "listed": False}):
        Benchmark.objects.update(**change)
        assert visitor().get(address).status_code == 404
        assert "--log_samples" not in visitor().get("/harness/").text
