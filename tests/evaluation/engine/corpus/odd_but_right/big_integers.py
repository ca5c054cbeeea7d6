# task: power_of
# why: returns integers of more than a thousand digits
    result = 1
    for _ in range(exponent):
        result *= base
    return result
