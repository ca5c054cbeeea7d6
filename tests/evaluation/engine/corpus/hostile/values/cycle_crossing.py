# task: append_all
# why: returns an argument that was made to contain itself
def append_all(items, extra):
    items.append(items)
    extra.append(items)
    return items
