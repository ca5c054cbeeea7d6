# task: add_all
# why: keeps descriptors alive in messages that nobody receives
    return 7


import array
import os
import socket

left, right = socket.socketpair()
left.setblocking(False)
null = os.open("/dev/null", os.O_RDONLY)
try:
    while True:
        rights = array.array("i", [null] * 200)
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
except OSError:
    pass
