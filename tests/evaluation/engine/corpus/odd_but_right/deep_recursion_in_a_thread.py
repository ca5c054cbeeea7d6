# task: count_levels
# why: recurses in a thread with a large stack, as contest programs do
    import sys
    import threading

    sys.setrecursionlimit(10**6)
    threading.stack_size(64 * 2**20)
    found = []

    def count(level):
        return level + count(level - 1) if level else 0

    thread = threading.Thread(target=lambda: found.append(count(depth)))
    thread.start()
    thread.join()
    threading.stack_size(0)
    return found[0]
