"""Instructions for running lm-evaluation-harness: commands, and tasks to download."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeVar

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.submissions.harness import documents, harness_settings, task_name, task_yaml
from leaderboard.pages.submissions.queries import open_benchmarks

_Response = TypeVar("_Response", HttpResponse, StreamingHttpResponse)

COMMANDS = """\
mkdir -p assay && cd assay
curl -o {name}.yaml '{site}{yaml}'
curl -o {name}.jsonl '{site}{jsonl}'
lm_eval --model local-chat-completions \\
    --model_args model=MODEL,base_url=https://HOST/v1/chat/completions,num_concurrent=8 \\
    --include_path . --tasks {name} \\
    --apply_chat_template --predict_only --log_samples --output_path results"""


@dataclass(frozen=True, slots=True)
class Asked:
    title: str
    setting: str
    yaml: str
    jsonl: str
    commands: str
    log: str


@require_safe
def harness(request: HttpRequest) -> HttpResponse:
    site = f"{request.scheme}://{request.get_host()}"
    asked = [
        _asked(benchmark, setting, site)
        for benchmark in open_benchmarks(request.user)
        for setting in harness_settings(benchmark)
    ]
    return render(request, "submissions/harness.html", {"asked": asked})


@require_safe
def harness_task(request: HttpRequest, slug: str, setting: str) -> HttpResponse:
    benchmark = _asked_benchmark(request, slug, setting)
    response = HttpResponse(task_yaml(benchmark, setting), content_type="application/yaml")
    return _named(response, f"{task_name(benchmark, setting)}.yaml")


@require_safe
def harness_questions(request: HttpRequest, slug: str, setting: str) -> StreamingHttpResponse:
    benchmark = _asked_benchmark(request, slug, setting)
    lines = (json.dumps(document) + "\n" for document in documents(benchmark, setting))
    response = StreamingHttpResponse(lines, content_type="application/jsonl")
    return _named(response, f"{task_name(benchmark, setting)}.jsonl")


def _asked_benchmark(request: HttpRequest, slug: str, setting: str) -> Benchmark:
    found = get_object_or_404(Benchmark.objects.visible_to(request.user), slug=slug)
    if found not in open_benchmarks(request.user) or setting not in harness_settings(found):
        raise Http404
    return found


def _named(response: _Response, name: str) -> _Response:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _asked(benchmark: Benchmark, setting: str, site: str) -> Asked:
    name = task_name(benchmark, setting)
    yaml = reverse("harness-task", args=[benchmark.slug, setting])
    jsonl = reverse("harness-questions", args=[benchmark.slug, setting])
    return Asked(
        title=benchmark.title,
        setting=setting_words(setting),
        yaml=yaml,
        jsonl=jsonl,
        commands=COMMANDS.format(site=site, yaml=yaml, jsonl=jsonl, name=name),
        log=f"results/MODEL/samples_{name}_DATE.jsonl",
    )
