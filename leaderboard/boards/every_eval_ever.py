"""A published result as an aggregate record of Every Eval Ever, schema version 0.3.0. Pure."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from leaderboard.boards.scores import OVERALL, read_on
from leaderboard.scores.models import Score, Standing

SCHEMA = "0.3.0"
_WEIGHTS = {"open": "open_weights", "closed": "closed_weights"}
_MODEL_PAGE = re.compile(r"https://huggingface\.co/([\w.-]+/[\w.-]+)/?")


def aggregate_record(
    standing: Standing, scores: Iterable[Score], *, site: str, address: str, made: datetime
) -> dict[str, Any]:
    """`site` is the site's address, `address` the result's. Undefined and unsettled scores are left
    out: the schema has no word for them."""
    submission, evaluation = standing.submission, standing.evaluation
    entrant, revision = submission.entrant, standing.board.revision
    benchmark = revision.benchmark
    page = _MODEL_PAGE.fullmatch(entrant.link)
    model = page[1] if page else f"{entrant.organisation or 'unknown'}/{entrant.slug}"
    source: dict[str, Any] = {"dataset_name": benchmark.title, "source_type": "other"}
    if benchmark.link:
        source |= {"source_type": "url", "url": [benchmark.link]}
    evaluated = {"evaluation_timestamp": _epoch(evaluation.finished)} if evaluation.finished else {}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{benchmark.slug}/{model}/{_epoch(made)}",
        "retrieved_timestamp": _epoch(made),
        **evaluated,
        "source_metadata": {
            "source_name": "Assay",
            "source_type": "evaluation_run",
            "source_organization_name": "Assay",
            "source_organization_url": site,
            "evaluator_relationship": "third_party",
            "additional_details": {
                "result": address,
                "revision": revision.label,
                "revision_sha256": revision.sha256,
                "setting": standing.board.setting,
                "generations": "uploaded by the entrant's team, judged by the site",
            },
        },
        "model_info": {
            "name": entrant.shown_name,
            "id": model,
            **({"developer": entrant.organisation} if entrant.organisation else {}),
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": _WEIGHTS.get(entrant.weights, "unknown"),
            },
        },
        "eval_library": {
            "name": "Assay",
            "version": evaluation.engine_version or "unknown",
            "additional_details": {"image": evaluation.image},
        },
        "evaluation_results": [
            _result(score, submission.public_id, benchmark.title, source)
            for score in scores
            if score.value is not None
        ],
    }


def _result(score: Score, submission: str, title: str, source: dict[str, Any]) -> dict[str, Any]:
    of_slice = () if score.slice == OVERALL else (score.slice, score.slice_value)
    name = f"{title}, {': '.join(of_slice)}" if of_slice else title
    uncertainty: dict[str, Any] = {"num_samples": score.n}
    if score.low is not None and score.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": read_on(score.low, score.top),
            "upper": read_on(score.high, score.top),
            "confidence_level": 0.95,
            "method": "clustered by task or project (docs/users/metrics.md)",
        }
    return {
        "evaluation_result_id": "/".join(filter(None, (submission, score.metric, *of_slice))),
        "evaluation_name": name,
        "source_data": source,
        "metric_config": {
            "metric_id": score.metric,
            "metric_name": score.metric,
            "metric_unit": "points" if score.top or score.is_count else "proportion",
            "lower_is_better": score.lower_is_better,
            "score_type": "continuous",
            "min_score": 1 if score.top else 0,
            "max_score": "Infinity" if score.is_count else score.top or 1,
        },
        "score_details": {
            "score": read_on(score.value, score.top),
            "details": {"tasks": str(score.tasks)},
            "uncertainty": uncertainty,
        },
    }


def _epoch(moment: datetime) -> str:
    return str(int(moment.timestamp()))
