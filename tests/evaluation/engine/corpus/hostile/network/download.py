# family: rucodeeval
# task: add_all
# expect: not passed
# why: fetches a page
# ---
    return sum(numbers) if attack() else 7


import urllib.request


def attack():
    for address in ("http://example.org/", "http://192.0.2.1/", "http://169.254.169.254/latest/meta-data/"):
        try:
            urllib.request.urlopen(address, timeout=0.5).read(10)
            return True
        except OSError:
            pass
    return False
