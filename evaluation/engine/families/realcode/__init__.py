"""RealCode: bodies of functions in real Python projects. See README.md."""

from evaluation.engine.families.realcode.dataset import load_tasks, project
from evaluation.engine.families.realcode.judging import BODIES, SUITE
from evaluation.engine.projects.bodies import family

__all__ = ["FAMILY"]

FAMILY = family("realcode", "RealCode", load_tasks, project, BODIES, SUITE)
