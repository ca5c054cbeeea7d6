"""RealCodeJava: bodies of methods in real Java projects. See README.md."""

from dataclasses import replace
from functools import partial

from evaluation.engine.conversations.filling import replaced
from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.families.realcode_java.postprocessing import (
    body_of,
    extract_code,
    fault,
    joined,
)
from evaluation.engine.family import Sampling
from evaluation.engine.projects import java_control, mera
from evaluation.engine.projects.bodies import Bodies, Body, family, suite_of
from evaluation.engine.projects.suite import Rewriting
from evaluation.engine.records import Limits, Task
from evaluation.engine.texts import gettext_noop as _

REPORT = "surefire"
# The authors' seconds and memory; the other limits as Maven, which starts JVMs, needs them.
LIMITS = Limits(
    cpu_seconds=1200.0, memory=10 * 2**30, output=64 * 2**20, pids=2048, open_files=16384
)

load_tasks = partial(mera.load_tasks, mera.Form(language="java", path="file_path", stub=True))
project = partial(mera.project_of, report=REPORT)


def _body(task: Task, generation: str) -> Body:
    hidden = task.hidden
    return body_of(generation, task.public["entry_point"], hidden["left_context"], hidden["gt"])


_PARTS = ("left_context", "right_context", "gt")
BODIES = Bodies(
    extracted=extract_code,
    rule=_(
        "The code is the text from the first ```java, or else from the beginning, up to the next "
        "```."
    ),
    of=_body,
    joined=joined,
    stubs={"stub_pass": lambda task: str(task.hidden["stub"])},
    fault=lambda task, body: fault(body, **{name: task.hidden[name] for name in _PARTS}),
)
SUITE = suite_of(
    BODIES,
    report=REPORT,
    limits=LIMITS,
    dry_run_limits=replace(LIMITS, cpu_seconds=1800.0),
    asking=Rewriting(java_control.rewritten, java_control.test_file),
)
ASKING = own_prompts(
    Sampling(temperature=0.7, top_p=0.8, max_tokens=4096, repetition_penalty=1.05),
    ("left_context",),
    replaced,
)
# Words for the flags of verdicts.
FLAGS = {
    "signature_dropped": _("the repeated signature was dropped"),
    "closing_brace_added": _("a missing closing brace was added"),
    "cut": _("cut where the function ends"),
}
FAMILY = replace(
    family("realcode_java", "RealCodeJava", load_tasks, project, BODIES, SUITE, ASKING), flags=FLAGS
)
