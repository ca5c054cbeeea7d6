# task: add_all
# why: computes in a forked child and reads its answer
    import os

    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, str(sum(numbers)).encode())
        os._exit(0)
    os.close(write)
    with open(read) as file:
        answer = int(file.read())
    os.waitpid(pid, 0)
    return answer
