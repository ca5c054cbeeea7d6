#!/bin/sh
# apt_install.sh PACKAGE...: install Debian or Ubuntu packages, without questions.
set -eu
export DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes

install() {
    apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "$@" >/dev/null
}

# Installation mostly fails because package lists are missing or out of date. They are
# fetched only then, since this takes time.
if ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 && install "$@" 2>/dev/null; then
    exit 0
fi
apt-get -qq update
install "$@"
