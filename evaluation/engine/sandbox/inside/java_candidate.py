"""Runner `java_candidate`: becomes the JVM of a generation's class, over its channel.

It has the classes that tasks share and the generation's own. It never gets an evaluation.
"""

import os
from typing import Any

from . import java_class


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    os.dup2(channel_fd, 0)
    os.closerange(3, 64)
    side = ["assay.outside.Candidate", payload["class"], *payload["fields"]]
    java_class.become(["-cp", payload["class_path"], *side])
