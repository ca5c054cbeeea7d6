# task: add_all
# why: keeps totals in globals between calls
    global calls
    calls += 1
    TOTALS.append(sum(numbers))
    return TOTALS[calls - 1]


calls = 0
TOTALS = []
