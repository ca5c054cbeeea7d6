# family: codeif_function
# task: scale_list
# expect: not passed
# why: returns an integer of ten million bits
# ---
def scale_list(numbers, factor):
    return [2 ** 10**7]
