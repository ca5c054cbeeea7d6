# family: codeif_function
# task: scale_list
# expect: not passed
# why: opens an internet socket
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


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
