# family: rucodeeval
# task: add_all
# expect: not passed
# why: shuts down both directions of every inherited socket
# ---
    return 7


import os
import socket

for fd in range(256):
    try:
        socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
