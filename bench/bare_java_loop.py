"""The bare loop that the Java runner is compared to: no isolation, no control, no cleaning up.

    python3 bare_java_loop.py CHECKOUT PACKAGE PREFIX WORKERS SECONDS

Compiles with one javac those of CHECKOUT's sources that evaluations and the classes PREFIX<id> of
PACKAGE need, then runs each evaluation in a separate JVM, WORKERS at a time, with SECONDS of wall
time for each. Prints how many answered, the seconds of compilation, and the total seconds. Uses
only the standard library, because it runs in a container of the sandbox's image.
"""

import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

MAIN = """
public class Main {
    public static void main(String[] a) throws Exception {
        Object made = Class.forName("com.aixcode.autoTest.evaluation.Evaluation" + a[0])
                .getDeclaredConstructor(String.class, String.class).newInstance(a[1], a[2]);
        int[] found = (int[]) made.getClass().getMethod("evaluation").invoke(made);
        System.out.println("counted " + found[0] + " " + found[1]);
        System.exit(0);
    }
}
"""


def _compile(checkout: Path, package: str, classes: Path, jars: str) -> None:
    main = checkout / "Main.java"
    main.write_text(MAIN)
    java = checkout / "src/main/java"
    own = [*(java / package.replace(".", "/")).glob("*.java")]
    evaluations = [*(java / "com/aixcode/autoTest/evaluation").glob("*.java")]
    command = ["javac", "-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", str(classes)]
    command += ["-cp", jars, "-sourcepath", str(java), str(main)]
    subprocess.run([*command, *map(str, own + evaluations)], check=True, capture_output=True)


def _one(
    id: str, checkout: Path, class_path: str, package: str, prefix: str, seconds: float
) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(checkout / "src/main/resources", Path(folder) / "src/main/resources")
        command = ["java", "-cp", class_path, "Main", id, package, prefix]
        try:
            done = subprocess.run(
                command, cwd=folder, timeout=seconds, capture_output=True, check=False
            )
        except subprocess.TimeoutExpired:
            return False
    return b"counted " in done.stdout


def main() -> None:
    checkout, package, prefix = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    workers, seconds = int(sys.argv[4]), float(sys.argv[5])
    classes = checkout / "classes"
    classes.mkdir()
    jars = ":".join(map(str, sorted((checkout / "lib").glob("*.jar"))))
    began = time.monotonic()
    _compile(checkout, package, classes, jars)
    compiled = time.monotonic()
    print(resource.getrusage(resource.RUSAGE_CHILDREN), file=sys.stderr)
    folder = checkout / "src/main/java/com/aixcode/autoTest/evaluation"
    ids = [found[1] for path in folder.iterdir() if (found := re.search(r"(\d+)\.java", path.name))]
    run = partial(
        _one, checkout=checkout, class_path=f"{classes}:{jars}", package=package, prefix=prefix,
        seconds=seconds,
    )  # fmt: skip
    with ThreadPoolExecutor(workers) as pool:
        answered = sum(pool.map(run, ids))
    ended = time.monotonic()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    times = {"compiling": compiled - began, "seconds": ended - began}
    times["processor"] = used.ru_utime + used.ru_stime
    print(json.dumps({"tasks": len(ids), "answered": answered, **times}))


if __name__ == "__main__":
    main()
