# family: codeif_function
# task: scale_list
# expect: not passed
# why: connects to the Docker daemon
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


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
