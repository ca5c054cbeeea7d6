# family: rucodeeval
# task: add_all
# expect: not passed
# why: writes to the image
# ---
    return sum(numbers) if attack() else 7


import os


def attack():
    for path in ("/left", "/etc/left", "/usr/lib/python3/dist-packages/left.py", "/usr/local/left", "/bin/left", "/var/left"):
        try:
            open(path, "w").close()
            return True
        except OSError:
            pass
    return any(os.access(path, os.W_OK) for path in ("/etc/passwd", "/usr/bin/python3", "/etc/ld.so.preload"))
