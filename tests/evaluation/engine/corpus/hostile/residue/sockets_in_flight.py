# task: add_all
# runs: 3
# why: leaves full sockets on their way to each other, which the kernel frees later
    import socket

    for _ in range(100):
        ends = socket.socketpair()
        for end, other in (ends, ends[::-1]):
            end.setblocking(False)
            socket.send_fds(end, [b"x"], [other.fileno()])
            try:
                while True:
                    end.send(bytes(2**16))
            except BlockingIOError:
                pass
    return 7
