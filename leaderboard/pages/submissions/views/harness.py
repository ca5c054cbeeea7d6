"""lm-evaluation-harness: instructions, and each benchmark as a task for it: a configuration and
questions.

Documents have `meta.id`, so the harness's sample log can be uploaded unchanged. Fields: the
harness's task_guide.md, version 0.4.13.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Script
from evaluation.engine.instructions import DYNAMIC
from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.intake import open_benchmarks

# The harness truncates answers after few tokens unless a maximum is set.
MOST_TOKENS = 4096
COMMANDS = """\
mkdir -p assay && cd assay
curl -o {name}.yaml '{site}{yaml}'
curl -o {name}.jsonl '{site}{jsonl}'
lm_eval --model local-chat-completions \\
    --model_args model=MODEL,base_url=https://HOST/v1/chat/completions,num_concurrent=8 \\
    --include_path . --tasks {name} \\
    --apply_chat_template --predict_only --log_samples --output_path results"""


class HarnessBoard(NamedTuple):
    benchmark: Benchmark
    setting: str
    commands: str
    log: str


@require_safe
def harness(request: HttpRequest) -> HttpResponse:
    site = f"{request.scheme}://{request.get_host()}"
    boards = []
    for benchmark in open_benchmarks(request.user):
        for setting in harness_settings(benchmark):
            name = task_name(benchmark, setting)
            yaml = reverse("harness-task", args=[benchmark.slug, setting])
            jsonl = reverse("harness-questions", args=[benchmark.slug, setting])
            commands = COMMANDS.format(site=site, yaml=yaml, jsonl=jsonl, name=name)
            log = f"results/MODEL/samples_{name}_DATE.jsonl"
            boards.append(HarnessBoard(benchmark, setting, commands, log))
    return render(request, "submissions/harness.html", {"boards": boards})


@require_safe
def harness_task(request: HttpRequest, slug: str, setting: str) -> HttpResponse:
    benchmark = _benchmark_of(request, slug, setting)
    name = f"{task_name(benchmark, setting)}.yaml"
    answer = HttpResponse(task_yaml(benchmark, setting), content_type="application/yaml")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@require_safe
def harness_questions(request: HttpRequest, slug: str, setting: str) -> StreamingHttpResponse:
    benchmark = _benchmark_of(request, slug, setting)
    lines = (json.dumps(document) + "\n" for document in documents(benchmark, setting))
    answer = StreamingHttpResponse(lines, content_type="application/jsonl")
    name = f"{task_name(benchmark, setting)}.jsonl"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _benchmark_of(request: HttpRequest, slug: str, setting: str) -> Benchmark:
    by_slug = {benchmark.slug: benchmark for benchmark in open_benchmarks(request.user)}
    if slug not in by_slug or setting not in harness_settings(by_slug[slug]):
        raise Http404
    return by_slug[slug]


def harness_settings(benchmark: Benchmark) -> tuple[str, ...]:
    """The settings without questions that depend on an answer, as the harness requires."""
    family, revision = benchmark.family, benchmark.current
    row = revision.tasks.order_by("number").first() if revision else None
    if family.asking is None or row is None:
        return ()
    first = public_record(row)
    scripts = {name: _script(benchmark, name) for name in family.settings if name != DYNAMIC}
    return tuple(
        setting
        for setting, script in scripts.items()
        if not any(script.before(first, name) for name in script.asked(first))
    )


def documents(benchmark: Benchmark, setting: str) -> Iterator[dict[str, Any]]:
    """The questions as the harness's dataset, without tasks that lack a part of their prompt."""
    assert benchmark.current is not None, "benchmarks with settings have a revision"
    script = _script(benchmark, setting)
    for row in benchmark.current.tasks.order_by("number").iterator(chunk_size=50):
        task = public_record(row)
        try:
            questions = [(name, script.messages(task, name, ())) for name in script.asked(task)]
        except BenchmarkError:
            continue
        for requirement, messages in questions:
            meta = {"id": task.id, "requirement": requirement}
            yield {"prompt": messages[-1]["content"], "target": "", "meta": meta}


def task_name(benchmark: Benchmark, setting: str) -> str:
    """Has only letters, digits and underscores; also used as a file name."""
    return f"assay_{benchmark.slug}_{setting}".replace("-", "_")


def task_yaml(benchmark: Benchmark, setting: str) -> str:
    """The task's configuration. Values are JSON, which is valid YAML."""
    asking = benchmark.family.asking
    assert asking is not None, "benchmarks with settings are asked"
    sampling, name = asking.sampling, task_name(benchmark, setting)
    sampled = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "repetition_penalty": sampling.repetition_penalty,
    }
    fields = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": f"{name}.jsonl"}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "prompt",
        "doc_to_target": "target",
        "num_fewshot": 0,
        "repeats": sampling.samples,
        "generation_kwargs": {
            # The default would stop an answer at its first blank line.
            "until": [],
            "max_gen_toks": sampling.max_tokens or MOST_TOKENS,
            "do_sample": bool(sampling.temperature),
            **{field: value for field, value in sampled.items() if value is not None},
        },
        "metric_list": [{"metric": "bypass", "aggregation": "bypass", "higher_is_better": True}],
        "metadata": {"version": 1},
    }
    return "".join(f"{field}: {json.dumps(value)}\n" for field, value in fields.items())


def _script(benchmark: Benchmark, setting: str) -> Script:
    asking = benchmark.family.asking
    assert asking is not None, "benchmarks with settings are asked"
    prompts = benchmark.current.prompts if benchmark.current else None
    return asking.script(prompts, setting, "last")
