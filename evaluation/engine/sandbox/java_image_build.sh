# Runs as root in the build container: turns a Debian 12 base into the sandbox image for Java.
# Beside it lie java/, our own programs, and, where the host has one, ca.crt.
set -eu
build=/var/assay-build
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

. /etc/os-release
if [ "$ID $VERSION_ID" != "debian 12" ]; then
    echo "The base image is $PRETTY_NAME; it must be Debian 12 (ASSAY_BASE_IMAGE)."
    exit 1
fi

# Read by nobody. Some packages want the directory of pages.
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
apt-get $options install --yes --no-install-recommends python3 openjdk-17-jdk-headless
jdk=$(echo /usr/lib/jvm/java-17-openjdk-*)

if ! python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
    echo "The image's python3 is $(python3 --version); it must be 3.11 (ASSAY_BASE_IMAGE)."
    exit 1
fi

# What candidates get: the platform without what reaches into memory, into other programs' parts
# or into the machine (jdk.unsupported has sun.misc.Unsafe), and with our harness in modules.
modules=$(cat $build/java/modules.txt)
classes=$build/classes
javac -d $classes/outside -XDstringConcat=inline \
    --add-exports java.base/jdk.internal.org.objectweb.asm=assay.outside \
    --add-exports java.base/jdk.internal.org.objectweb.asm.commons=assay.outside \
    $build/java/outside/*.java
javac -d $classes/harness -XDstringConcat=inline --module-path $classes/outside \
    --add-exports java.base/jdk.internal.module=assay.harness \
    $build/java/harness/*.java $build/java/harness/*/*.java
mkdir -p /opt/assay
jlink --output /opt/assay/java --no-header-files --no-man-pages \
    --module-path "$classes/harness:$classes/outside:$jdk/jmods" \
    --add-modules "$modules,assay.harness,assay.outside"
java=/opt/assay/java/bin/java

# The compiler, and archives of what it and a run load, so that neither reads it each time.
javac -d $classes/compiler -XDstringConcat=inline \
    --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED \
    --add-exports java.base/jdk.internal.org.objectweb.asm.commons=ALL-UNNAMED \
    --add-exports jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED $build/java/compiler/*.java
mkdir -p /opt/assay/compiler
cp $build/java/modules.txt /opt/assay/compiler
jar --create --file /opt/assay/compiler/compiler.jar -C $classes/compiler .
python3 $build/java/warm_up.py "$modules" $jdk/bin/java $java $build/java/warm_up
chmod 644 /opt/assay/compiler/* /opt/assay/java/lib/server/*.jsa

# The compiler's users have this group (inside/zygote.py); a candidate's have only their own.
chgrp 900 $jdk/bin/java

find / -xdev -name '*.pyc' -delete
for directory in $(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))') \
    /usr/lib/python3; do
    [ ! -d "$directory" ] || python3 -m compileall -qq -j 0 --invalidation-mode unchecked-hash \
        "$directory" || true
done

cd /
rm -rf /usr/share/doc/* /usr/share/man/* /usr/share/info/* /usr/share/locale/* \
    /usr/share/lintian /var/lib/apt/lists/* /var/cache/* /var/log/* /tmp/* /var/tmp/* \
    /root/.[a-z]* $jdk/jmods $jdk/lib/src.zip $jdk/lib/ct.sym
find / -xdev -perm /6000 -exec chmod ug-s {} +
rm -rf $build

# Nobody else may start a program, or have the loader start one by reading it.
loader=$(readlink -f /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.* 2>/dev/null | head -n 1)
find / -xdev -type f -perm /0111 ! -name "*.so" ! -name "*.so.*" -exec chmod o-rwx {} +
find / -xdev -type f -perm /0111 -name "*.so*" ! -path "$loader" -exec chmod a-x {} +
# Except for the JVM of candidates. The kernel lets nobody who cannot read a program look into its
# memory, not even into its own.
chmod 711 $java
$java -Xshare:on -version
