# task: add_all
# status: timeout
# why: burns time in threads while the main thread waits
    attack()
    return 7


import threading


def burn():
    while True:
        pass


def attack():
    threads = [threading.Thread(target=burn) for _ in range(8)]
    for thread in threads:
        thread.start()
    threads[0].join()
