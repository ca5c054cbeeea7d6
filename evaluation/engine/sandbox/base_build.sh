# Runs as root in the build container: turns a Debian 12 base into what stands in for the
# images that datasets name. Above this line stand `name` and `packages` (sandbox.bases).
set -eu
build=/var/assay-build
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

. /etc/os-release
if [ "$ID $VERSION_ID" != "debian 12" ]; then
    echo "The base image is $PRETTY_NAME; it must be Debian 12 (ASSAY_BASE_IMAGE)."
    exit 1
fi

# Half of the packages' size, and read by nobody. Some packages want the directory of pages.
for kind in doc man info locale; do
    echo "path-exclude=/usr/share/$kind/*"
done >/etc/dpkg/dpkg.cfg.d/assay
mkdir -p /usr/share/man/man1 /var/cache/apt/archives/partial

options="-qq -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0"
[ -e $build/ca.crt ] && options="$options -o Acquire::https::CaInfo=$build/ca.crt"
if [ -n "${ASSAY_DEBIAN_MIRROR:-}" ]; then
    echo "deb $ASSAY_DEBIAN_MIRROR bookworm main" >$build/sources.list
    options="$options -o Dir::Etc::SourceList=$build/sources.list -o Dir::Etc::SourceParts=-"
fi
apt-get $options update
apt-get $options install --yes --no-install-recommends $packages

case $name in
assay-base-python)
    # A virtual environment, since Debian's own Python refuses pip; with wheel, as the official
    # images have it, for what is still built by setup.py.
    python3 -m venv /opt/venv
    /opt/venv/bin/pip install --quiet --no-index --no-compile /usr/share/python-wheels/wheel-*.whl
    /opt/venv/bin/python -c 'import setuptools, wheel'
    ;;
assay-base-java)
    # The same place on every architecture, and where the official images have it.
    mkdir -p /opt/java
    ln -s /usr/lib/jvm/java-17-openjdk-* /opt/java/openjdk
    JAVA_HOME=/opt/java/openjdk mvn --version
    ;;
esac

cd /
rm -rf /usr/share/doc/* /usr/share/man/* /usr/share/info/* /usr/share/locale/* \
    /usr/share/lintian /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb \
    /var/cache/debconf/*-old /var/log/* /tmp/* /var/tmp/* $build
