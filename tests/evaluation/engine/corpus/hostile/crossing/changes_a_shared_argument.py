# task: append_all
# why: changes the argument so that the expected value changes with it
def append_all(items, extra):
    items.clear()
    extra.clear()
    return extra
