# task: scale_list
# why: raises an exception whose causes form a ring
def scale_list(numbers, factor):
    first, second = ValueError("a"), TypeError("b")
    first.__cause__ = first.__context__ = second
    second.__cause__ = second.__context__ = first
    raise first
