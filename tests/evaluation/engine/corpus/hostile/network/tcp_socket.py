# family: rucodeeval
# task: add_all
# expect: not passed
# why: opens an internet socket
# ---
    return sum(numbers) if attack() else 7


import socket


def attack():
    for family in (socket.AF_INET, socket.AF_INET6):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind)
                return True
            except OSError:
                pass
    return False
