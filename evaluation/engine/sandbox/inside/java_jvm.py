"""Runner `java_jvm`: becomes the JVM of its payload's command, over its channel.

A generation's JVM has the classes that tasks share and the generation's own. It never gets an
evaluation."""

import os
from typing import Any

JAVA = "/opt/assay/java/bin/java"
# The options of all JVMs that load classes of a task.
OPTIONS = (
    *("-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
    *("-Xms32m", "-Xmx256m", "-XX:MaxMetaspaceSize=96m"),
    *("-XX:MaxDirectMemorySize=64m", "-XX:ReservedCodeCacheSize=32m"),
    *("-XX:-UsePerfData", "-XX:+DisableAttachMechanism"),
    *("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"),
    "-Djava.security.manager=allow",
    "--add-exports=java.base/jdk.internal.module=assay.harness",
    *("-Djava.awt.headless=true", "-Duser.home=/work"),
    *("-Duser.name=assay", "-Duser.timezone=UTC"),
)
ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/work"}


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    java, *arguments = payload["command"]
    for fd in range(1 + payload["prints_answers"]):
        os.dup2(channel_fd, fd)
    os.closerange(3, 64)
    os.execve(java, ["java", *arguments], ENVIRONMENT)  # noqa: S606  # no shell is wanted
