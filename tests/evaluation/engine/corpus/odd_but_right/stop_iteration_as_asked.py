# task: first_even
# why: raises StopIteration, as its tests ask for
def first_even(numbers):
    for number in numbers:
        if number % 2 == 0:
            return number
    raise StopIteration("no even number")
