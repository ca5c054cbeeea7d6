"""Reads the tasks file of a RealCode revision, and the project of each task."""

from __future__ import annotations

from functools import partial

from evaluation.engine.projects import mera

REPORT = "pytest"
load_tasks = partial(mera.load_tasks, mera.Form(language="python", path="fn"))
project = partial(mera.project_of, report=REPORT)
