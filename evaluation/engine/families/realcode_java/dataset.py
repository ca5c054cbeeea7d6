"""Reads the tasks file of a RealCodeJava revision, and the project of each task."""

from __future__ import annotations

from functools import partial

from evaluation.engine.projects import mera

REPORT = "surefire"
load_tasks = partial(mera.load_tasks, mera.Form(language="java", path="file_path", stub=True))
project = partial(mera.project_of, report=REPORT)
