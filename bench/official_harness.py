"""Runs RealCode's own harness on tasks that bench_projects.py provides.

    PYTHON official_harness.py FOLDER JOBS

PYTHON has the package `repositorytest` (any virtual environment: `pip install repositorytest`).
FOLDER holds tasks.json, a list of tasks with their generation as `gen`, and below repos/ a clone
of each repository, so that nothing is fetched; the images that the harness would build must exist
under its names. The last line of the output is {"seconds": s, "passed": [bool, ...]}; the seconds
are those of the tests, without building and cloning. As in the authors' settings, each task's
untouched project is run next to each generation.
"""

import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    folder, jobs = Path(sys.argv[1]), int(sys.argv[2])
    # The package reads these variables when it is imported.
    os.environ["REPOTEST_MAIN_FOLDER"] = str(folder)
    os.environ["REPOTEST_CACHE_FOLDER"] = str(folder / "repos")
    # The package is in PYTHON's environment, never in this project's.
    from repotest.manager.realcode_python_task_manager import (  # type: ignore[import-not-found]
        TaskManagerRealcode,
    )

    tasks = json.loads((folder / "tasks.json").read_text("utf-8"))
    manager = TaskManagerRealcode(
        mode="docker", n_jobs=jobs, n_jobs_build=1, gen_columns=["gen"], raise_exception=True
    )
    manager.build_task_list(tasks)
    began = time.perf_counter()
    manager.eval_task_list(tasks)
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "passed": [bool(t["pass_gen"]) for t in tasks]}))


if __name__ == "__main__":
    main()
