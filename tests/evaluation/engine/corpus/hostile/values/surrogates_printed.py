# task: add_all
# why: prints lone surrogates and raises them
    return 7


import sys

sys.stdout.buffer.write(b"\xed\xa0\x80\xff\xfe\x00")
sys.stdout.reconfigure(errors="surrogatepass")
print("\ud800")
raise ValueError("\udcff")
