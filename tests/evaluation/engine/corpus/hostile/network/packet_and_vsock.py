# family: rucodeeval
# task: add_all
# expect: not passed
# why: opens sockets of rare families
# ---
    return sum(numbers) if attack() else 7


import socket


def attack():
    for family in (socket.AF_PACKET, 40, 44, 38, 29, 31, 16, 30):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(family, kind)
                return True
            except OSError:
                pass
    return False
