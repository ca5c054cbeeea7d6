# family: rucodeeval
# task: add_all
# expect: passed
# why: keeps totals in globals between calls
# ---
    global calls
    calls += 1
    TOTALS.append(sum(numbers))
    return TOTALS[calls - 1]


calls = 0
TOTALS = []
