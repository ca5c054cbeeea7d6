# task: rotate
# why: empties its argument and returns it filled anew
    for _ in range(steps % len(items)):
        items.append(items.pop(0))
    return items
