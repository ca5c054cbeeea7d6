# task: add_all
# why: computes in threads
    import threading

    parts = [0] * len(numbers)

    def put(index):
        parts[index] = numbers[index]

    threads = [threading.Thread(target=put, args=(index,)) for index in range(len(numbers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(parts)
