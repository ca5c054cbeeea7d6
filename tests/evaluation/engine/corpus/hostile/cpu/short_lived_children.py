# task: add_all
# status: timeout
# why: burns time in children that end before anyone looks
    attack()
    return 7


import os


def attack():
    while True:
        pid = os.fork()
        if pid == 0:
            for _ in range(10**6):
                pass
            os._exit(0)
        os.waitpid(pid, 0)
