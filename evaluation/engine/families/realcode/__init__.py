"""RealCode: bodies of functions in real Python projects. See README.md."""

from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.conversations.wording import formatted
from evaluation.engine.families.realcode.postprocessing import (
    body_of,
    extract_code,
    indent_of,
    joined,
)
from evaluation.engine.family import Sampling
from evaluation.engine.projects import mera
from evaluation.engine.projects.bodies import Bodies, family
from evaluation.engine.projects.suite import Place
from evaluation.engine.records import Limits, Prepared, Task
from evaluation.engine.texts import gettext_noop as _

# The authors' seconds and memory; the other limits as projects' test suites need them.
LIMITS = Limits(cpu_seconds=300.0, memory=10 * 2**30, output=64 * 2**20, pids=512, open_files=4096)


def _place(task: Task, _prepared: Prepared) -> Place:
    hidden, public = task.hidden, task.public
    after = joined("", "", hidden["right_context"]).removeprefix("\n")
    placeholder = indent_of(hidden["gt"]) + "pass"
    return Place(
        public["path"], f"{hidden['left_context']}\n", after, placeholder, public["entry_point"]
    )


BODIES = Bodies(
    extracted=extract_code,
    rule=_(
        "The code is the text between the first ```python and the next ```. If one of them is "
        "missing, it is the whole answer."
    ),
    of=lambda task, text: body_of(
        text, task.public["entry_point"], task.hidden["gt"], task.hidden["left_context"]
    ),
    joined=joined,
    stubs={
        "stub_pass": lambda task: indent_of(task.hidden["gt"]) + "pass",
        "stub_empty_str": lambda task: indent_of(task.hidden["gt"]) + 'return ""',
    },
    report="pytest",
    limits=LIMITS,
    dry_run_limits=LIMITS,
    place=_place,
)
FAMILY = family(
    "realcode",
    "RealCode",
    mera.Form(language="python", path="fn"),
    BODIES,
    own_prompts(
        Sampling(temperature=0.7, top_p=0.8, repetition_penalty=1.05), ("left_context",), formatted
    ),
    flags={
        "signature_dropped": _("the repeated signature was dropped"),
        "reindented": _("indented to match the body's position"),
        "cut": _("cut where the function ends"),
    },
)
