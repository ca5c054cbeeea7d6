# family: rucodeeval
# task: add_all
# expect: not passed
# why: resolves a name, by which answers could be fetched or data leaked
# ---
    return sum(numbers) if attack() else 7


import socket


def attack():
    try:
        return bool(socket.getaddrinfo("example.org", 80))
    except OSError:
        return False
