# task: append_all
# why: returns the very list that it was given
def append_all(items, extra):
    items += extra
    return items
