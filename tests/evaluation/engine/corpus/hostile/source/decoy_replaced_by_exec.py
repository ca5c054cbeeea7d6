# family: codeif_function
# task: scale_list
# requirement: Code Standard
# expect: not passed
# why: a clean definition is replaced by code that has no source
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers]


exec("def scale_list( numbers,factor ):\n  return [ n*factor for n in numbers ]")
