# family: rucodeeval
# task: add_all
# expect: not passed
# why: asks the kernel about interfaces, sockets and events
# ---
    return sum(numbers) if attack() else 7


import socket


def attack():
    for protocol in (0, 4, 9, 15, 16):
        try:
            socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
            return True
        except OSError:
            pass
    return False
