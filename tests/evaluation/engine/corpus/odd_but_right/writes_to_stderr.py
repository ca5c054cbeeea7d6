# task: add_all
# why: writes to stderr in three ways
    import os
    import sys

    print("adding", file=sys.stderr)
    sys.stderr.buffer.write(b"\xff\xfe raw bytes\n")
    os.write(2, b"descriptor\n")
    return sum(numbers)
