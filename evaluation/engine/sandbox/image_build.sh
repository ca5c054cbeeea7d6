# Runs as root in the build container: turns a Debian 12 base into the sandbox image.
# What it needs lies beside it: packages/ and, where the host has one, ca.crt.
set -eu
build=/var/assay-build
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

. /etc/os-release
if [ "$ID $VERSION_ID" != "debian 12" ]; then
    echo "The base image is $PRETTY_NAME; it must be Debian 12 (ASSAY_BASE_IMAGE)."
    exit 1
fi

if ! command -v python3 >/dev/null; then
    options="-qq -o APT::Sandbox::User=root"
    [ -e $build/ca.crt ] && options="$options -o Acquire::https::CaInfo=$build/ca.crt"
    if [ -n "${ASSAY_DEBIAN_MIRROR:-}" ]; then
        echo "deb $ASSAY_DEBIAN_MIRROR bookworm main" >$build/sources.list
        options="$options -o Dir::Etc::SourceList=$build/sources.list -o Dir::Etc::SourceParts=-"
    fi
    apt-get $options update
    apt-get $options install --yes --no-install-recommends python3
fi

if ! python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
    echo "The base image's python3 is $(python3 --version); it must be 3.11 (ASSAY_BASE_IMAGE)."
    exit 1
fi

packages=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir -p "$packages"
cp -R $build/packages/. "$packages"
rm -rf "$packages/bin"

# Ahead of time, since the root file system will be read-only, and by content, so that
# no time stamp makes it stale. Some files of the library are not meant to compile.
find / -xdev -name '*.pyc' -delete
for directory in $(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))') \
    /usr/lib/python3 "$packages"; do
    [ ! -d "$directory" ] || python3 -m compileall -qq -j 0 --invalidation-mode unchecked-hash \
        "$directory" || true
done

cd /
rm -rf /usr/share/doc/* /usr/share/man/* /usr/share/info/* /usr/share/locale/* \
    /usr/share/lintian /var/lib/apt/lists/* /var/cache/* /var/log/* /tmp/* /var/tmp/* /root/.[a-z]*
find / -xdev -perm /6000 -exec chmod ug-s {} +
rm -rf $build

# From here on nothing may fail silently: this is what the runners rely on.
python3 -c 'import radon.complexity, radon.metrics, radon.raw, mccabe, pycodestyle'
