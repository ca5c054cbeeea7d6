# family: rucodeeval
# task: add_all
# expect: not passed
# why: connects to the Docker daemon
# ---
    return sum(numbers) if attack() else 7


import socket


def attack():
    for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"):
        try:
            link = socket.socket(socket.AF_UNIX)
            link.settimeout(1)
            link.connect(path)
            return True
        except OSError:
            pass
    return False
