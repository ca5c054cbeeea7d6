# family: codeif_function
# task: scale_list
# expect: not passed
# why: prints lone surrogates and raises them
# ---
def scale_list(numbers, factor):
    return [7]


import sys

sys.stdout.buffer.write(b"\xed\xa0\x80\xff\xfe\x00")
sys.stdout.reconfigure(errors="surrogatepass")
print("\ud800")
raise ValueError("\udcff")
