"""Instructions for running lm-evaluation-harness: commands, and tasks to download."""

from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.submissions.harness import documents, harness_settings, task_name, task_yaml
from leaderboard.pages.submissions.queries import open_benchmarks

COMMANDS = """\
mkdir -p assay && cd assay
curl -o {name}.yaml '{site}{yaml}'
curl -o {name}.jsonl '{site}{jsonl}'
lm_eval --model local-chat-completions \\
    --model_args model=MODEL,base_url=https://HOST/v1/chat/completions,num_concurrent=8 \\
    --include_path . --tasks {name} \\
    --apply_chat_template --predict_only --log_samples --output_path results"""


@require_safe
def harness(request: HttpRequest) -> HttpResponse:
    site = f"{request.scheme}://{request.get_host()}"
    boards = []
    for benchmark in open_benchmarks(request.user):
        for setting in harness_settings(benchmark):
            name = task_name(benchmark, setting)
            yaml = reverse("harness-task", args=[benchmark.slug, setting])
            jsonl = reverse("harness-questions", args=[benchmark.slug, setting])
            board = {
                "title": benchmark.title,
                "setting": setting_words(setting),
                "yaml": yaml,
                "jsonl": jsonl,
                "commands": COMMANDS.format(site=site, yaml=yaml, jsonl=jsonl, name=name),
                "log": f"results/MODEL/samples_{name}_DATE.jsonl",
            }
            boards.append(board)
    return render(request, "submissions/harness.html", {"asked": boards})


@require_safe
def harness_task(request: HttpRequest, slug: str, setting: str) -> HttpResponse:
    benchmark = _benchmark_of(request, slug, setting)
    return HttpResponse(
        task_yaml(benchmark, setting),
        content_type="application/yaml",
        headers=_named(f"{task_name(benchmark, setting)}.yaml"),
    )


@require_safe
def harness_questions(request: HttpRequest, slug: str, setting: str) -> StreamingHttpResponse:
    benchmark = _benchmark_of(request, slug, setting)
    return StreamingHttpResponse(
        (json.dumps(document) + "\n" for document in documents(benchmark, setting)),
        content_type="application/jsonl",
        headers=_named(f"{task_name(benchmark, setting)}.jsonl"),
    )


def _benchmark_of(request: HttpRequest, slug: str, setting: str) -> Benchmark:
    by_slug = {benchmark.slug: benchmark for benchmark in open_benchmarks(request.user)}
    if slug not in by_slug or setting not in harness_settings(by_slug[slug]):
        raise Http404
    return by_slug[slug]


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
