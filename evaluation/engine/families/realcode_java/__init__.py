"""RealCodeJava: bodies of methods in real Java projects. See README.md."""

from evaluation.engine.conversations.filling import replaced
from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.families.realcode_java.dataset import load_tasks, project
from evaluation.engine.families.realcode_java.judging import BODIES, SUITE
from evaluation.engine.family import Sampling
from evaluation.engine.projects.bodies import family

__all__ = ["FAMILY"]

ASKING = own_prompts(
    Sampling(temperature=0.7, top_p=0.8, max_tokens=4096, repetition_penalty=1.05),
    ("left_context",),
    replaced,
)
FAMILY = family("realcode_java", "RealCodeJava", load_tasks, project, BODIES, SUITE, ASKING)
