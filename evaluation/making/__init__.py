"""For people who make datasets: new tasks from a repository that has tests, and the commits that
tasks were cut from. Only the command line uses it."""
