"""Tests that both versions of control groups are read with the same result."""

from pathlib import Path

import pytest

from evaluation.engine.sandbox.inside.container import Cgroup

# Recorded in a container on a kernel 5.10 with version 1.
V1 = {
    "cpuacct/cpuacct.usage": "3007226590291\n",
    "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n",
    "memory/memory.stat": "cache 9000\nrss 15000000\nrss_huge 0\nshmem 8192\ntotal_rss 15000001\n",
    "memory/memory.kmem.usage_in_bytes": "700000\n",
}
# Written from the kernel's document (Documentation/admin-guide/cgroup-v2.rst), not recorded.
V2 = {
    "cgroup.controllers": "cpuset cpu io memory hugetlb pids rdma misc\n",
    "cpu.stat": "usage_usec 2500000\nuser_usec 1500000\nsystem_usec 1000000\nnr_periods 10\n"
    "nr_throttled 2\nthrottled_usec 4000\n",
    "memory.stat": "anon 15000000\nfile 9000\nsock 300000\nshmem 8192\nslab 400000\n",
    "memory.events": "low 0\nhigh 0\nmax 41\noom 3\noom_kill 2\noom_group_kill 1\n",
}


def written(root: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("files", "cpu", "kills", "later"),
    [
        (V1, 3007.226590291, 0, {
            "cpuacct/cpuacct.usage": "7000000000\n", "memory/memory.oom_control": "oom_kill 5\n"}),
        (V2, 2.5, 2, {"cpu.stat": "usage_usec 7000000\n", "memory.events": "oom_kill 5\n"}),
    ],
)  # fmt: skip
def test_a_reading_is_of_now_in_seconds_kills_and_bytes_of_processes_and_kernel(
    tmp_path: Path, files: dict[str, str], cpu: float, kills: int, later: dict[str, str]
) -> None:
    group = Cgroup(written(tmp_path, files))
    assert group.cpu() == pytest.approx(cpu)
    assert (group.oom_kills(), group.memory()) == (kills, 15_700_000)
    written(tmp_path, later)
    assert (group.cpu(), group.oom_kills()) == (7.0, 5)


def test_without_a_control_group_nothing_is_claimed(tmp_path: Path) -> None:
    group = Cgroup(str(tmp_path))
    assert group.cpu() is None
    assert group.oom_kills() == 0
    assert group.memory() == 0


def test_kernels_that_do_not_count_kills_read_as_none_killed(tmp_path: Path) -> None:
    files = {**V1, "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"}
    assert Cgroup(written(tmp_path, files)).oom_kills() == 0
