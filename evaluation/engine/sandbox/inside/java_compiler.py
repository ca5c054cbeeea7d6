"""Runner `java_compiler`: becomes the compiler that stays warm, over its channel."""

import os
from typing import Any

HOME = "/opt/assay/compiler"
JAVA = "/usr/lib/jvm"
EXPORTS = (
    "--add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.org.objectweb.asm.commons=ALL-UNNAMED",
    "--add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
)
# Enough for a unit of the largest size allowed; a unit that needs more does not compile.
_OPTIONS = (
    f"-XX:SharedArchiveFile={HOME}/compiler.jsa",
    "-Xshare:auto",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xmx192m",
    "-Xss4m",
    "-XX:MaxMetaspaceSize=96m",
    "-XX:ReservedCodeCacheSize=48m",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",
)


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    os.dup2(channel_fd, 0)
    os.dup2(channel_fd, 1)
    os.closerange(3, 64)
    (jdk,) = (name for name in os.listdir(JAVA) if name.startswith("java-17-openjdk-"))
    with open(f"{HOME}/modules.txt") as file:
        modules = file.read().strip()
    command = ["java", *_OPTIONS, *EXPORTS, "-cp", f"{HOME}/compiler.jar"]
    os.execve(  # noqa: S606  # no shell is wanted
        f"{JAVA}/{jdk}/bin/java",
        [*command, "assay.compiler.Compiler", modules],
        {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
