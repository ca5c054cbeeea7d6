# task: add_all
# why: uses 150 MiB for a moment
    block = bytearray(b"x") * (150 * 2**20)
    del block
    return sum(numbers)
