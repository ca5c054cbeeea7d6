# task: add_all
# why: returns an object whose __str__ returns no text
    class Odd:
        def __str__(self):
            return 49

    return Odd()
