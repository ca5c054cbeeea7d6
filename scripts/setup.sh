#!/bin/sh
# make setup: everything that Assay needs on this machine. Safe to run again, and twice at once.
# This part finds Python; scripts/environment.py and scripts/engine.py do the rest.
set -eu
cd "$(dirname "$0")/.."
# Where dockerd, debootstrap and what apt-get calls lie; `su` without a dash leaves it out.
PATH=$PATH:/usr/sbin:/sbin
export PATH

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

# Good means new enough, and able to make a virtual environment.
good() {
    "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if good "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
}

# Ubuntu 22.04's python3 is 3.10, and it has 3.11 beside it; Debian 12's python3 is 3.11.
install_python() {
    say "installing Python with apt-get"
    sh scripts/apt_install.sh python3 python3-venv 9>&- || return 0
    good python3 || sh scripts/apt_install.sh python3.11 python3.11-venv 9>&- || return 0
}

# The lock is open as number 9 from here on; what outlives this script must not inherit it.
exec 9>.setup.lock
if ! flock --nonblock 9; then
    say "waiting for another make setup in this directory"
    flock 9
fi

python=$(find_python)
if [ -z "$python" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    install_python
    python=$(find_python)
fi
[ -n "$python" ] || fail "Python 3.11 or newer with its venv module is missing. Install it" \
    "(Debian 12 and later, Ubuntu 24.04 and later: apt-get install python3 python3-venv), or" \
    "name one: make setup PYTHON=/path/to/python3."

exec "$python" -m scripts.environment
