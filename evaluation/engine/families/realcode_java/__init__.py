"""RealCodeJava: bodies of methods in real Java projects. See README.md."""

from dataclasses import replace

from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.conversations.wording import replaced
from evaluation.engine.families.realcode_java.postprocessing import (
    body_of,
    extract_code,
    fault,
    joined,
)
from evaluation.engine.family import Sampling
from evaluation.engine.projects import java_control, mera
from evaluation.engine.projects.bodies import Bodies, family
from evaluation.engine.projects.suite import Rewriting
from evaluation.engine.records import Limits
from evaluation.engine.texts import gettext_noop as _

# The authors' seconds and memory; the other limits as Maven, which starts JVMs, needs them.
LIMITS = Limits(
    cpu_seconds=1200.0, memory=10 * 2**30, output=64 * 2**20, pids=2048, open_files=16384
)
_PARTS = ("left_context", "right_context", "gt")
BODIES = Bodies(
    extracted=extract_code,
    rule=_(
        "The code is the text from the first ```java, or else from the beginning, up to the next "
        "```."
    ),
    of=lambda task, text: body_of(
        text, task.public["entry_point"], task.hidden["left_context"], task.hidden["gt"]
    ),
    joined=joined,
    stubs={"stub_pass": lambda task: str(task.hidden["stub"])},
    fault=lambda task, body: fault(body, **{name: task.hidden[name] for name in _PARTS}),
    report="surefire",
    limits=LIMITS,
    dry_run_limits=replace(LIMITS, cpu_seconds=1800.0),
    asking=Rewriting(java_control.rewritten, java_control.test_file),
)
FAMILY = family(
    "realcode_java",
    "RealCodeJava",
    mera.Form(language="java", path="file_path", stub=True),
    BODIES,
    own_prompts(
        Sampling(temperature=0.7, top_p=0.8, max_tokens=4096, repetition_penalty=1.05),
        ("left_context",),
        replaced,
    ),
    flags={
        "signature_dropped": _("the repeated signature was dropped"),
        "closing_brace_added": _("a missing closing brace was added"),
        "cut": _("cut where the function ends"),
    },
)
