"""RealCodeJava: bodies of methods in real Java projects. See README.md."""

from evaluation.engine.families.realcode_java.dataset import load_tasks, project
from evaluation.engine.families.realcode_java.judging import BODIES, SUITE
from evaluation.engine.projects.bodies import family

__all__ = ["FAMILY"]

FAMILY = family("realcode_java", "RealCodeJava", load_tasks, project, BODIES, SUITE)
