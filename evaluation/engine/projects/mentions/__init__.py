"""Finds what a program's text mentions that could look at its tests, or at their judge.

A mention is evidence if the reference solution lacks it. Covers what audit events do not show:
access to existing objects, attributes and patches; in Java, everything.
"""

from evaluation.engine.projects.mentions.java import of_java
from evaluation.engine.projects.mentions.python import of_python

__all__ = ["of_java", "of_python"]
