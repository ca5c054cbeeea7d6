"""RealCode: bodies of functions in real Python projects. See README.md."""

from evaluation.engine.conversations.filling import formatted
from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.families.realcode.dataset import load_tasks, project
from evaluation.engine.families.realcode.judging import BODIES, SUITE
from evaluation.engine.family import Sampling
from evaluation.engine.projects.bodies import family

__all__ = ["FAMILY"]

ASKING = own_prompts(
    Sampling(temperature=0.7, top_p=0.8, repetition_penalty=1.05), ("left_context",), formatted
)
FAMILY = family("realcode", "RealCode", load_tasks, project, BODIES, SUITE, ASKING)
