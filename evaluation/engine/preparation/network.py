"""Gives a build container access to package indexes: mirrors, proxies and certificates.

They are files below BUILD and variables of the build's commands only, so the image keeps none."""

import base64
import binascii
import functools
import hashlib
import re
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit
from xml.sax.saxutils import escape

from evaluation.engine.errors import SandboxError
from evaluation.engine.preparation import texts
from evaluation.engine.sandbox import layout
from evaluation.engine.sandbox.debootstrap import PROXIES
from evaluation.engine.sandbox.image_packages import CA_BUNDLE
from evaluation.engine.texts import said_by
from evaluation.engine.variables import Variables, matching

# Written before the build, and removed before the image is taken.
BUILD = f"{layout.OURS}/build"
CA_FILE = f"{BUILD}/ca.pem"
TRUSTSTORE = f"{BUILD}/truststore.jks"
MAVEN = f"{BUILD}/maven"

# Read, in this order, by pip, Python's requests, curl and programs that use it, git, OpenSSL, Node.
CA_VARIABLES = (
    *("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "SSL_CERT_FILE"),
    "NODE_EXTRA_CA_CERTS",
)
# As in Maven's own settings directory; Maven does not start without the file.
LOGGING = """\
org.slf4j.simpleLogger.defaultLogLevel=info
org.slf4j.simpleLogger.showDateTime=false
org.slf4j.simpleLogger.showThreadName=false
org.slf4j.simpleLogger.showLogName=false
org.slf4j.simpleLogger.logFile=System.out
org.slf4j.simpleLogger.levelInBrackets=true
org.slf4j.simpleLogger.warnLevelString=WARNING
org.slf4j.simpleLogger.log.Sisu=info
"""
# As in Maven's own settings. Used without a mirror: blocks repositories without TLS.
BLOCKER = (
    "<mirror><id>maven-default-http-blocker</id><mirrorOf>external:http:*</mirrorOf>"
    "<url>http://0.0.0.0/</url><blocked>true</blocked></mirror>"
)
PASSWORD = "changeit"  # noqa: S105 - Java's default; it is no secret
_MAGIC, _VERSION, _CERTIFICATE = 0xFEEDFEED, 2, 2
_SALT = b"Mighty Aphrodite"
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\s(.*?)-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """`ca_bundle` is in PEM; proxies are http_proxy, https_proxy and no_proxy by name."""

    ca_bundle: Path | None = None
    pip_index: str | None = None
    maven_mirror: str | None = None
    proxies: Mapping[str, str] = field(default_factory=dict)


def options_from(variables: Variables) -> NetworkOptions:
    """The machine's certificates and pip settings are the fallback. Raises SettingError."""

    def mirror(name: str, example: str) -> str:
        # The URL may hold a password.
        url = matching(r"https?://\S+")
        return variables.parsed(name, url, "", f"a URL such as {example}", secret=True)

    index = mirror("ASSAY_PIP_INDEX", "https://pypi.example.org/simple")
    maven = mirror("ASSAY_MAVEN_MIRROR", "https://maven.example.org/central")
    named = variables.path("ASSAY_CA_BUNDLE") or variables.path("SSL_CERT_FILE")
    return NetworkOptions(
        ca_bundle=named or (CA_BUNDLE if CA_BUNDLE.exists() else None),
        pip_index=index or variables.text("PIP_INDEX_URL") or _configured_index(),
        maven_mirror=maven or None,
        proxies={name.lower(): address for name in PROXIES if (address := variables.text(name))},
    )


@functools.cache
def _configured_index() -> str | None:
    """Cached, because pip takes a second."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None if done.returncode == 0 else None


def build_environment(
    options: NetworkOptions, base_environment: Mapping[str, str]
) -> dict[str, str]:
    """Variables of the build's commands. Java's options are appended to those of the base."""
    variables = {name: CA_FILE for name in CA_VARIABLES if options.ca_bundle is not None}
    java, maven = [], f"-Dmaven.conf={MAVEN}" if _has_settings(options) else ""
    if options.pip_index is not None:
        variables["PIP_INDEX_URL"] = options.pip_index
        # pip accepts an index without TLS only if its host is trusted explicitly.
        plain = options.pip_index.startswith("http:")
        if plain and (host := urlsplit(options.pip_index).hostname):
            variables["PIP_TRUSTED_HOST"] = host
    for name, value in options.proxies.items():
        # curl reads http_proxy in lower case only, other programs upper case.
        variables |= {name: value, name.upper(): value}
    if options.ca_bundle is not None:
        java.append(f"-Djavax.net.ssl.trustStore={TRUSTSTORE}")
        java.append(f"-Djavax.net.ssl.trustStorePassword={PASSWORD}")
    for scheme, proxy, port in _proxies(options.proxies):
        java += [f"-D{scheme}.proxyHost={proxy.hostname}", f"-D{scheme}.proxyPort={port}"]
    if options.proxies and (hosts := direct_hosts(options.proxies)):
        # Java reads this for both schemes.
        java.append(f"-Dhttp.nonProxyHosts={hosts}")
    for name, words in (("JAVA_TOOL_OPTIONS", " ".join(java)), ("MAVEN_OPTS", maven)):
        if words:
            variables[name] = " ".join(filter(None, [base_environment.get(name), words]))
    return variables


def build_files(options: NetworkOptions) -> dict[str, bytes]:
    """Files by container path below BUILD. Raises SandboxError for unreadable certificates."""
    files: dict[str, bytes] = {}
    if options.ca_bundle is not None:
        try:
            files[CA_FILE] = options.ca_bundle.read_bytes()
            trusted = certificates(files[CA_FILE])
            if not trusted:
                raise ValueError(texts.NO_CERTIFICATE())
        except (OSError, ValueError) as error:
            raise SandboxError(
                texts.CERTIFICATES_UNFIT(file=str(options.ca_bundle), reason=said_by(error))
            ) from error
        files[TRUSTSTORE] = truststore(trusted)
    if _has_settings(options):
        files[f"{MAVEN}/settings.xml"] = maven_settings(options).encode()
        files[f"{MAVEN}/logging/simplelogger.properties"] = LOGGING.encode()
    return files


def _proxies(proxies: Mapping[str, str]) -> Iterator[tuple[str, SplitResult, str]]:
    """(scheme of the requests, proxy, its port). An address needs no scheme. Raises
    SandboxError."""
    for scheme in ("http", "https"):
        named = proxies.get(f"{scheme}_proxy")
        if not named:
            continue
        try:
            address = urlsplit(named if "://" in named else f"http://{named}")
            if not address.hostname or address.port == 0:
                raise ValueError
        except ValueError:
            # The message omits the address, which may hold a password.
            raise SandboxError(texts.NO_PROXY_ADDRESS(variable=f"{scheme}_proxy")) from None
        yield scheme, address, str(address.port or (443 if address.scheme == "https" else 80))


def direct_hosts(proxies: Mapping[str, str]) -> str:
    """Hosts that bypass the proxy, in Java's form: `a.org|*.a.org`. A name in no_proxy includes its
    subdomains. Address ranges are dropped: Java supports none."""
    patterns = []
    for host in map(str.strip, proxies.get("no_proxy", "").split(",")):
        if host and "/" not in host:
            plain = host.lstrip("*").lstrip(".")
            patterns += [plain, f"*.{plain}"] if plain else ["*"]
    return "|".join(patterns)


def _has_settings(options: NetworkOptions) -> bool:
    return options.maven_mirror is not None or any(_proxies(options.proxies))


def maven_settings(options: NetworkOptions) -> str:
    """The mirror's id is `central`: Maven records each artifact's repository and later, offline and
    without the mirror, uses only artifacts of repositories that it knows."""
    mirror = BLOCKER
    if options.maven_mirror is not None:
        address = escape(options.maven_mirror)
        mirror = f"<mirror><id>central</id><mirrorOf>*</mirrorOf><url>{address}</url></mirror>"
    hosts = escape(direct_hosts(options.proxies))
    proxies = ""
    for scheme, proxy, port in _proxies(options.proxies):
        values = {
            "id": scheme,
            "active": "true",
            "protocol": scheme,
            "host": proxy.hostname or "",
            "port": port,
            "username": unquote(proxy.username or ""),
            "password": unquote(proxy.password or ""),
        }
        elements = (f"<{name}>{escape(text)}</{name}>" for name, text in values.items() if text)
        proxies += f"<proxy>{''.join(elements)}<nonProxyHosts>{hosts}</nonProxyHosts></proxy>"
    return f"<settings><mirrors>{mirror}</mirrors><proxies>{proxies}</proxies></settings>\n"


def certificates(pem: bytes) -> list[bytes]:
    """The certificates of a bundle as DER, in order. Raises ValueError for invalid base64."""
    try:
        return [
            base64.b64decode(b"".join(text.split()), validate=True) for text in _PEM.findall(pem)
        ]
    except binascii.Error as error:
        raise ValueError(texts.NO_BASE64(error=str(error))) from None


def truststore(trusted: Sequence[bytes]) -> bytes:
    body = struct.pack(">III", _MAGIC, _VERSION, len(trusted))
    for number, der in enumerate(trusted):
        # The date is 1970, which keeps the output reproducible.
        body += struct.pack(">I", _CERTIFICATE) + _text(f"ca-{number}") + struct.pack(">Q", 0)
        body += _text("X.509") + struct.pack(">I", len(der)) + der
    digest = hashlib.sha1(PASSWORD.encode("utf-16-be") + _SALT + body)  # noqa: S324 - the format's
    return body + digest.digest()


def _text(ascii_text: str) -> bytes:
    return struct.pack(">H", len(ascii_text)) + ascii_text.encode("ascii")
