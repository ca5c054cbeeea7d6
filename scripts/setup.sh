#!/bin/sh
# make setup: installs all that Assay needs. Safe to run again, also concurrently.
# This part finds Python; scripts/environment.py and scripts/engine.py do the rest.
set -eu
cd "$(dirname "$0")/.."
# Contains dockerd, debootstrap and programs that apt-get calls; plain `su` omits it.
PATH=$PATH:/usr/sbin:/sbin
export PATH

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

# True if this Python is new enough and can make a virtual environment.
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

# Ubuntu 22.04's python3 is 3.10, and 3.11 is a second package; Debian 12's python3 is 3.11.
install_python() {
    say "installing Python with apt-get"
    sh scripts/apt_install.sh python3 python3-venv 9>&- || return 0
    good python3 || sh scripts/apt_install.sh python3.11 python3.11-venv 9>&- || return 0
}

# File descriptor 9 is the lock from here on; longer-lived processes must not inherit it.
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
