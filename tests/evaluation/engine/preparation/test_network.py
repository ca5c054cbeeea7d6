"""Tests of how build containers reach mirrors, proxies and servers with a company's own
certificates."""

import base64
import contextlib
import ssl
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import docker
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import SandboxError
from evaluation.engine.preparation import network
from evaluation.engine.preparation.network import (
    NetworkOptions,
    build_environment,
    build_files,
    certificates,
)
from evaluation.engine.sandbox.bases import Base, base_for
from evaluation.engine.variables import Variables
from tests.support.tars import tar_of

Run = Callable[[str, NetworkOptions, str], str]
# Characters that XML can hold.
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=40)
PROXY = "http://me:se%26cret@proxy.example:3128"


def test_where_nothing_is_named_nothing_is_given() -> None:
    assert build_environment(NetworkOptions(), {"MAVEN_OPTS": "-Xmx1g"}) == {}
    assert build_files(NetworkOptions()) == {}


def test_every_file_lies_below_the_directory_that_goes() -> None:
    options = NetworkOptions(maven_mirror="https://mirror.example/maven", proxies={})
    assert build_files(options)
    assert all(path.startswith(f"{network.BUILD}/") for path in build_files(options))


def test_what_the_base_says_to_java_stays() -> None:
    options = NetworkOptions(proxies={"https_proxy": PROXY, "no_proxy": "a.org"})
    given_ = build_environment(options, {"JAVA_TOOL_OPTIONS": "-Xss1m", "MAVEN_OPTS": "-Xmx1g"})
    assert given_["JAVA_TOOL_OPTIONS"].startswith("-Xss1m -Dhttps.proxyHost=proxy.example")
    assert given_["JAVA_TOOL_OPTIONS"].endswith(" -Dhttp.nonProxyHosts=a.org|*.a.org")
    assert given_["MAVEN_OPTS"] == f"-Xmx1g -Dmaven.conf={network.MAVEN}"


def test_an_index_without_tls_is_trusted_by_name() -> None:
    plain = build_environment(NetworkOptions(pip_index="http://mirror.example:81/simple"), {})
    assert plain["PIP_TRUSTED_HOST"] == "mirror.example"
    safe = build_environment(NetworkOptions(pip_index="https://mirror.example/simple"), {})
    assert safe == {"PIP_INDEX_URL": "https://mirror.example/simple"}


@given(mirror=st.none() | WORDS, direct=WORDS)
def test_settings_of_maven_hold_any_mirror_and_any_host(mirror: str | None, direct: str) -> None:
    proxies = {"http_proxy": PROXY, "https_proxy": "proxy.example", "no_proxy": direct}
    settings = ET.fromstring(
        network.maven_settings(NetworkOptions(maven_mirror=mirror, proxies=proxies))
    )
    found = settings.findtext("mirrors/mirror/url") or ""
    assert found == ("http://0.0.0.0/" if mirror is None else mirror)
    first, second = settings.findall("proxies/proxy")
    assert [first.findtext(name) for name in ("host", "port", "username", "password")] == [
        *("proxy.example", "3128", "me", "se&cret")
    ]
    assert (second.findtext("port"), second.findtext("password")) == ("80", None)


@pytest.mark.parametrize(
    ("named", "java"),
    [
        ("", ""),
        (" .a.org , *.b.org", "a.org|*.a.org|b.org|*.b.org"),
        ("10.0.0.0/8,c.org", "c.org|*.c.org"),
    ],
)
def test_hosts_without_a_proxy_are_named_as_java_names_them(named: str, java: str) -> None:
    assert network.direct_hosts({"no_proxy": named}) == java


@pytest.mark.parametrize("named", ["http://", "http://proxy:port", "http://[::1", "proxy:0"])
def test_a_proxy_without_a_good_address_is_an_error_that_does_not_show_it(named: str) -> None:
    with pytest.raises(SandboxError, match="https_proxy is not the address of a proxy.$"):
        build_files(NetworkOptions(proxies={"https_proxy": named}))


def test_options_come_from_the_environment(tmp_path: Path) -> None:
    environ = {
        "ASSAY_CA_BUNDLE": str(tmp_path),
        "SSL_CERT_FILE": "/another",
        "ASSAY_PIP_INDEX": "https://mirror.example/simple",
        "ASSAY_MAVEN_MIRROR": "https://mirror.example/maven",
        "HTTPS_PROXY": PROXY,
        "no_proxy": "",
    }
    assert network.options_from(Variables(environ)) == NetworkOptions(
        tmp_path, environ["ASSAY_PIP_INDEX"], environ["ASSAY_MAVEN_MIRROR"], {"https_proxy": PROXY}
    )


@pytest.mark.parametrize("content", [None, b"", b"-----BEGIN CERTIFICATE-----\n"])
def test_certificates_that_cannot_be_read_are_an_error_that_names_the_file(
    tmp_path: Path, content: bytes | None
) -> None:
    bundle = tmp_path / "ca.pem"
    if content is not None:
        bundle.write_bytes(content)
    with pytest.raises(SandboxError, match=f"{bundle} cannot be used.*ASSAY_CA_BUNDLE"):
        build_files(NetworkOptions(ca_bundle=bundle))


class Recorder(BaseHTTPRequestHandler):
    """Answers every request with 404 and records its request line."""

    def do_GET(self) -> None:
        self.server.asked.append(self.requestline)  # type: ignore[attr-defined]
        self.send_error(404)

    do_CONNECT = do_GET

    def log_message(self, *_: object) -> None: ...


@contextmanager
def recorder(certificate: Path | None = None) -> Iterator[tuple[int, list[str]]]:
    """A server on this machine, with TLS if there is a certificate: its port, and the requests so
    far."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    server.asked = []  # type: ignore[attr-defined]
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port, server.asked  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def client() -> docker.DockerClient:
    return docker.from_env()


@pytest.fixture(scope="module")
def bases(client: docker.DockerClient) -> Mapping[str, Base]:
    """Our stand-ins, made if they are missing."""
    names = ("assay-base-python", "assay-base-java")
    return {name[11:]: base_for(client, name, {name: name}) for name in names}


@pytest.fixture
def run(client: docker.DockerClient, bases: Mapping[str, Base]) -> Run:
    """A function that runs a shell command in a base as a build does and returns its output."""

    def run(base: str, options: NetworkOptions, command: str) -> str:
        made = client.containers.create(
            bases[base].image, ["sleep", "300"], network_mode="host", detach=True
        )
        try:
            made.put_archive("/", tar_of(build_files(options)))
            made.start()
            variables = build_environment(options, bases[base].environment)
            # This halves the processor time of short programs.
            variables["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1"
            said = made.exec_run(["sh", "-c", command], environment=variables)
            return str(said.output.decode())
        finally:
            made.remove(force=True)

    return run


MAKE_CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=assay-test"
    " -addext subjectAltName=IP:127.0.0.1 -keyout /dev/stdout -out /dev/stdout 2>/dev/null"
)
BY_PIP = "pip download --retries 0 --no-deps none-such"
BY_GIT = "git ls-remote https://127.0.0.1:%d/by-git"
BY_PYTHON = "python -c 'import urllib.request as r; r.urlopen(\"https://127.0.0.1:%d/by-python\")'"
BY_MAVEN = "mvn -B -ntp dependency:get -Dartifact=none:such:1"
FETCH = """cat >/tmp/Fetch.java <<'END'
public class Fetch {
    public static void main(String[] addresses) throws Exception {
        for (String address : addresses) {
            try {
                new java.net.URL(address).openStream();
            } catch (java.io.IOException none) {
                System.err.println(none);
            }
        }
    }
}
END
java /tmp/Fetch.java """


@pytest.mark.docker
@pytest.mark.slow
def test_all_that_build_trust_the_certificates_that_are_given_and_no_others(
    run: Run, tmp_path: Path
) -> None:
    certificate, other = tmp_path / "ca.pem", tmp_path / "other.pem"
    for path in (certificate, other):
        path.write_text(run("python", NetworkOptions(), MAKE_CERTIFICATE))
    by_python = "; ".join([BY_PIP, BY_GIT, BY_PYTHON])
    by_java = "; ".join([BY_MAVEN, f"curl https://127.0.0.1:%d/by-curl; {FETCH}" + "%s/by-java"])
    with recorder(certificate) as (port, asked):
        address = f"https://127.0.0.1:{port}"
        options = NetworkOptions(other, f"{address}/simple", f"{address}/maven")
        run("python", options, by_python % (port, port))
        run("java", options, by_java % (port, address))
        assert asked == []
        options = NetworkOptions(certificate, f"{address}/simple", f"{address}/maven")
        said = run("python", options, by_python % (port, port))
        said += run("java", options, by_java % (port, address))
    for place in ("simple/none-such", "by-git", "by-python", "maven/org/", "by-curl", "by-java"):
        assert any(f" /{place}" in line for line in asked), said


@pytest.mark.docker
@pytest.mark.slow
def test_all_that_build_ask_the_proxy(run: Run) -> None:
    with recorder() as (port, asked):
        address = f"http://127.0.0.1:{port}"
        proxies = {"http_proxy": address, "https_proxy": address, "no_proxy": "direct.invalid"}
        options = NetworkOptions(
            pip_index="http://pip.invalid/", maven_mirror="https://maven.invalid/", proxies=proxies
        )
        by_java = f"{FETCH} http://java.invalid/ http://direct.invalid/"
        said = run("python", options, BY_PIP)
        said += run("java", options, f"{BY_MAVEN}; {by_java}")
    for host in ("pip.invalid", "maven.invalid", "java.invalid"):
        assert any(host in line for line in asked), said
    assert not any("direct.invalid" in line for line in asked)


@pytest.mark.docker
def test_java_reads_the_store(run: Run, tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.write_text(run("python", NetworkOptions(), MAKE_CERTIFICATE) * 2)
    listing = f"keytool -list -keystore {network.TRUSTSTORE} -storepass changeit"
    assert "contains 2 entries" in run("java", NetworkOptions(bundle), listing)


DERS = st.lists(st.binary(max_size=300), max_size=5)
TEXT = st.text(st.characters(codec="ascii", exclude_characters="-"), max_size=80)


def pem(der: bytes) -> str:
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    return f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"


@given(DERS, st.lists(TEXT, min_size=6, max_size=6))
def test_what_stands_between_certificates_is_passed_over(
    ders: list[bytes], between: list[str]
) -> None:
    bundle = "".join(f"{words}\n{pem(der)}" for words, der in zip(between, ders, strict=False))
    assert certificates(f"{bundle}{between[-1]}".encode()) == ders


@given(st.binary(max_size=500))
def test_anything_between_the_marks_is_a_certificate_or_a_value_error(data: bytes) -> None:
    marked = b"-----BEGIN CERTIFICATE-----\n" + data + b"-----END CERTIFICATE-----"
    with contextlib.suppress(ValueError):
        assert len(certificates(marked)) <= 1
