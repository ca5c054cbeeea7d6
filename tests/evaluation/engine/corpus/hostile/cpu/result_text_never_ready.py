# task: add_all
# status: timeout
# why: burns time when the harness turns the result into text
    class Slow:
        def __str__(self):
            while True:
                pass

    return Slow()
