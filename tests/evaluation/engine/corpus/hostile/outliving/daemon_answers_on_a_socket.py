# task: add_all
# runs: 2
# why: a daemon of an earlier run keeps a secret on an abstract unix socket
    return sum(numbers) if attack() else 7


import os
import socket
import time

NAME = "\0corpus-daemon"


def ask():
    try:
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(0.5)
        link.connect(NAME)
        return link.recv(16) == b"left behind"
    except OSError:
        return False


found = ask()


def serve():
    link = socket.socket(socket.AF_UNIX)
    link.bind(NAME)
    link.listen()
    while True:
        link.accept()[0].send(b"left behind")


if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3, 256):
            try:
                os.close(fd)
            except OSError:
                pass
        try:
            serve()
        except OSError:
            time.sleep(60)
    os._exit(0)


def attack():
    return found
