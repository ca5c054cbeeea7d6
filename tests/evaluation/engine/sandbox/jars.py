"""Jars for kits, compiled by the compiler of the sandbox image."""

import base64
import io
import tarfile
from collections.abc import Mapping

from evaluation.engine.sandbox import docker

_COMPILE = """
cd /tmp/sources
$(echo /usr/lib/jvm/java-17-openjdk-*/bin/javac) -nowarn -d /tmp/classes $(find . -name '*.java')
$(echo /usr/lib/jvm/java-17-openjdk-*/bin/jar) --create --file /tmp/made.jar -C /tmp/classes .
base64 --wrap=0 /tmp/made.jar
"""


def jar(image: str, sources: Mapping[str, str]) -> bytes:
    client = docker.client()
    made = client.containers.create(image, ["sh", "-euc", _COMPILE], user="0", network_mode="none")
    try:
        assert made.put_archive("/tmp", _packed(sources))
        made.start()
        status = made.wait()["StatusCode"]
        assert status == 0, made.logs()
        return base64.b64decode(made.logs(stderr=False))
    finally:
        made.remove(force=True)


def _packed(sources: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for path, text in sources.items():
            entry = tarfile.TarInfo(f"sources/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return file.getvalue()
