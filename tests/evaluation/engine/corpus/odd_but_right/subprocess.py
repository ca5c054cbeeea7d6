# task: add_all
# why: asks another Python for the sum
    import subprocess
    import sys

    program = f"print(sum({numbers!r}))"
    done = subprocess.run([sys.executable or "python3", "-c", program], capture_output=True, text=True, check=True)
    return int(done.stdout)
