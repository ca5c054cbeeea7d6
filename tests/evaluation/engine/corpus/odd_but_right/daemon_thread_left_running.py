# task: add_all
# why: leaves a sleeping daemon thread behind
    import threading
    import time

    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    return sum(numbers)
