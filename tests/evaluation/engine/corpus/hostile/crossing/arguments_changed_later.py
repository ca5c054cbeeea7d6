# task: bump_count
# why: a thread changes the argument after the call has returned
import threading


def bump_count(counts, key):
    def later():
        while True:
            counts[key] = counts.get(key, 0) + 2
            counts.pop(key)

    threading.Thread(target=later, daemon=True).start()
