# task: add_all
# status: timeout
# why: lifts the limit on digits and returns an integer of ten million bits
    import sys

    sys.set_int_max_str_digits(0)
    return 2 ** 10**7
