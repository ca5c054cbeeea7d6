"""Tests that every variable of docs/operators/settings.md is read, and that a wrong value ends in
one sentence."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import SettingError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operators/settings.md").read_text("utf-8")
ROWS = dict(re.findall(r"^\| `([A-Z_]+)` \|(.*)$", PAGE, re.MULTILINE))
PEM, SECRET, OTHER_SECRET = "/etc/assay/ca.pem", "s" * 32, "o" * 40
# A value other than the default, with the setting that it sets.
RIGHT: dict[str, tuple[str, str, Any]] = {
    "ASSAY_EMBEDDED": ("off", "EMBEDDED", False),
    "DATABASE_URL": ("postgres://me@db/assay", "DATABASES.default.HOST", "db"),
    "ASSAY_VALKEY_URL": ("redis://q:6379/0", "VALKEY_URL", "redis://q:6379/0"),
    "ASSAY_SECRET_KEY": (SECRET, "SECRET_KEY", SECRET),
    "ASSAY_ALLOWED_HOSTS": ("a.org, .b.org,*,[::1]", "ALLOWED_HOSTS",
                            ["a.org", ".b.org", "*", "[::1]"]),
    "ASSAY_TRUSTED_ORIGINS": ("https://a.org,http://b.org:81", "CSRF_TRUSTED_ORIGINS",
                              ["https://a.org", "http://b.org:81"]),
    "ASSAY_HTTPS": ("yes", "SECURE_SSL_REDIRECT", True),
    "ASSAY_TRUSTED_PROXIES": ("2", "TRUSTED_PROXIES", 2),
    "ASSAY_HSTS_SECONDS": ("0", "SECURE_HSTS_SECONDS", 0),
    "ASSAY_HSTS_PRELOAD": ("1", "SECURE_HSTS_PRELOAD", True),
    "ASSAY_OPEN_SIGN_UP": ("0", "OPEN_SIGN_UP", False),
    "ASSAY_STAFF_SECOND_FACTOR": ("1", "STAFF_SECOND_FACTOR", True),
    "ASSAY_GITHUB_CLIENT_ID": ("x", "PROVIDER_ORIGINS", ["https://github.com"]),
    "ASSAY_GITHUB_CLIENT_SECRET": ("y", "SOCIALACCOUNT_PROVIDERS.github.APP.secret", "y"),
    "ASSAY_OIDC_URL": ("https://id.a.org/realms/x", "PROVIDER_ORIGINS", ["https://id.a.org"]),
    "ASSAY_OIDC_NAME": ("Lab", "SOCIALACCOUNT_PROVIDERS.openid_connect.APP.name", "Lab"),
    "ASSAY_OIDC_CLIENT_ID": ("x", "SOCIALACCOUNT_PROVIDERS.openid_connect.APP.client_id", "x"),
    "ASSAY_OIDC_CLIENT_SECRET": ("y", "SOCIALACCOUNT_PROVIDERS.openid_connect.APP.secret", "y"),
    "ASSAY_EMAIL_BACKEND": ("my.mail.Backend", "MAIL_BACKEND", "my.mail.Backend"),
    "ASSAY_EMAIL_HOST": ("mail.a.org", "EMAIL_HOST", "mail.a.org"),
    "ASSAY_EMAIL_PORT": ("587", "EMAIL_PORT", 587),
    "ASSAY_EMAIL_USER": ("me", "EMAIL_HOST_USER", "me"),
    "ASSAY_EMAIL_PASSWORD": (" x ", "EMAIL_HOST_PASSWORD", " x "),
    "ASSAY_EMAIL_TLS": ("1", "EMAIL_USE_TLS", True),
    "ASSAY_EMAIL_FROM": ("Assay <x@a.org>", "DEFAULT_FROM_EMAIL", "Assay <x@a.org>"),
    "ASSAY_RECEIPT_KEY": ("/srv/key", "RECEIPT_KEY", Path("/srv/key")),
    "ASSAY_CONTACT": ("https://a.org/ask", "CONTACT", "https://a.org/ask"),
    "ASSAY_STATIC_DIR": ("/srv/static", "STATIC_ROOT", Path("/srv/static")),
    "ASSAY_LOG_FORMAT": ("JSON", "LOGGING.formatters.lines.as_json", True),
    "ASSAY_DEBUG": ("1", "DEBUG", True),
    "ASSAY_UPLOAD_MOST_MB": ("3", "UPLOAD_MOST_BYTES", 3 * 2**20),
    "ASSAY_CACHED_PAGES": ("0", "CACHED_PAGES", 0),
    "ASSAY_TEAM_MOST_MB": ("3", "TEAM_MOST_BYTES", 3 * 2**20),
    "ASSAY_TEAM_WAITING": ("3", "TEAM_WAITING", 3),
    "ASSAY_UPLOAD_DAYS": ("1", "UPLOAD_DAYS", 1),
    "ASSAY_OUTPUT_DAYS": ("0", "OUTPUT_DAYS", 0),
    "ASSAY_ENDPOINT_RUNS": ("2", "ENDPOINT_RUNS", 2),
    "ASSAY_ENDPOINTS": ("http://127.0.0.1:8080,:8443", "ENDPOINTS",
                        ["http://127.0.0.1:8080", ":8443"]),
    "ASSAY_KEY_SECRETS": (f"{SECRET},{OTHER_SECRET}", "KEY_SECRETS", [SECRET, OTHER_SECRET]),
    "ASSAY_RUN_HOURS": ("1.5", "RUN_HOURS", 1.5),
    "ASSAY_WORKERS": ("7", "WORKERS", 7),
    "ASSAY_SANDBOX_RUNTIME": ("runsc", "SANDBOX_RUNTIME", "runsc"),
    "ASSAY_CHUNK_SECONDS": ("1", "CHUNK_SECONDS", 1),
    "ASSAY_LEASE_SECONDS": ("4.0", "LEASE_SECONDS", 4.0),
    "ASSAY_RECHECKED_PERCENT": ("5", "RECHECKED_SHARE", 0.05),
    "ASSAY_RECONCILE_SECONDS": ("0.5", "RECONCILE_SECONDS", 0.5),
} | {
    name: (value, f"PROJECTS.{name}", value)
    for name, value in {
        "ASSAY_REPOSITORIES": "/srv/{name}",
        "ASSAY_SOURCE_TREES": "/srv/trees",
        "ASSAY_BASE_IMAGES": "maven:*=my/maven",
        "ASSAY_BUILD_NETWORK": "host",
        "ASSAY_CA_BUNDLE": PEM,
        "ASSAY_PIP_INDEX": "https://pypi.a.org/simple",
        "ASSAY_MAVEN_MIRROR": "https://maven.a.org",
        "ASSAY_PROJECTS_DIR": "/srv/projects",
        "ASSAY_PROJECTS_GB": "1.5",
        "ASSAY_PROJECT_REGISTRY": "registry.a.org:5000/assay",
        "ASSAY_BENCHMARK_LIMITS": "yes",
    }.items()
}  # fmt: skip
# Texts and paths: any value may be intended.
ANY = {
    "ASSAY_DATA_DIR",
    "ASSAY_RECEIPT_KEY",
    "ASSAY_STATIC_DIR",
    "ASSAY_SECRET_KEY",
    "ASSAY_GITHUB_CLIENT_ID",
    "ASSAY_GITHUB_CLIENT_SECRET",
    "ASSAY_OIDC_NAME",
    "ASSAY_OIDC_CLIENT_ID",
    "ASSAY_OIDC_CLIENT_SECRET",
    "ASSAY_EMAIL_HOST",
    "ASSAY_EMAIL_USER",
    "ASSAY_EMAIL_PASSWORD",
    "ASSAY_SANDBOX_RUNTIME",
    "ASSAY_SOURCE_TREES",
    "ASSAY_CA_BUNDLE",
    "ASSAY_PROJECTS_DIR",
}
SWITCHES = {
    *(name for name, (_, _, expected) in RIGHT.items() if isinstance(expected, bool)),
    "ASSAY_BENCHMARK_LIMITS",
} - {"ASSAY_LOG_FORMAT"}
WRONG = [
    *((name, "maybe") for name in sorted(SWITCHES)),
    *(("DATABASE_URL", url) for url in ("x", "mysql://h/n", "postgres://", "postgres://h:x/n")),
    *(("ASSAY_VALKEY_URL", url) for url in ("queue:6379", "http://q", "redis://q:x/0")),
    *(("ASSAY_ALLOWED_HOSTS", host) for host in ("https://a.org", "a.org:80", "a.org b.org")),
    *(("ASSAY_TRUSTED_ORIGINS", origin) for origin in ("a.org", "https://a.org/x")),
    *(("ASSAY_TRUSTED_PROXIES", number) for number in ("-1", "17", "10.0.0.1")),
    ("ASSAY_HSTS_SECONDS", "-1"),
    *(("ASSAY_OIDC_URL", url) for url in ("id.a.org", "https://id.a.org/?x=1")),
    ("ASSAY_EMAIL_BACKEND", "smtp"),
    *(("ASSAY_EMAIL_PORT", port) for port in ("0", "65536", "smtp")),
    ("ASSAY_EMAIL_FROM", "assay"),
    *(("ASSAY_CONTACT", contact) for contact in ("us", "a@b@c", "javascript:x")),
    ("ASSAY_LOG_FORMAT", "xml"),
    *(("ASSAY_CACHED_PAGES", pages) for pages in ("-1", "many")),
    *(("ASSAY_UPLOAD_MOST_MB", size) for size in ("0", "1.5", "1GB")),
    *((f"ASSAY_TEAM_{name}", most) for name in ("MOST_MB", "WAITING") for most in ("0", "-1")),
    *(("ASSAY_UPLOAD_DAYS", days) for days in ("0", "36501")),
    *(("ASSAY_OUTPUT_DAYS", days) for days in ("-1", "36501")),
    *(("ASSAY_ENDPOINT_RUNS", runs) for runs in ("-1", "1025")),
    *(("ASSAY_ENDPOINTS", listed) for listed in ("127.0.0.1:8000", "http://a.org/x", ":0")),
    ("ASSAY_KEY_SECRETS", f"{SECRET},veiled"),
    *(("ASSAY_RUN_HOURS", hours) for hours in ("0", "inf")),
    *(("ASSAY_WORKERS", number) for number in ("-1", "all")),
    *(("ASSAY_CHUNK_SECONDS", seconds) for seconds in ("0", "4.5")),
    *(("ASSAY_LEASE_SECONDS", seconds) for seconds in ("0", "nan", "86401")),
    *(("ASSAY_RECHECKED_PERCENT", share) for share in ("-1", "101", "two")),
    *(("ASSAY_RECONCILE_SECONDS", seconds) for seconds in ("0", "2s")),
    *(("ASSAY_REPOSITORIES", place) for place in ("/srv/mirror", "/srv/{name", "/{0}{name}")),
    *(("ASSAY_BASE_IMAGES", mapping) for mapping in ("python", "a=b,a=c", "p*n=x")),
    ("ASSAY_BUILD_NETWORK", "none"),
    *((name, "a.org/simple") for name in ("ASSAY_PIP_INDEX", "ASSAY_MAVEN_MIRROR")),
    *(("ASSAY_PROJECTS_GB", size) for size in ("0", "much", "-2")),
    *(("ASSAY_PROJECT_REGISTRY", name) for name in ("https://a.org", "a.org/", "a.org/B", "a@b")),
]
HIDDEN = {"DATABASE_URL", "ASSAY_KEY_SECRETS", "ASSAY_MAVEN_MIRROR", "ASSAY_PIP_INDEX"}
HIDDEN |= {"ASSAY_VALKEY_URL"}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment without any of our variables except the data directory."""
    for name in os.environ:
        if name.startswith("ASSAY_") or name == "DATABASE_URL":
            monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))


def read() -> dict[str, Any]:
    """The settings as a process that starts now reads them."""
    found = runpy.run_path(str(ROOT / "leaderboard/settings.py"))
    return {name: value for name, value in found.items() if name.isupper()}


def needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets what must be set for the variable to be read."""
    if name.startswith("ASSAY_HSTS"):
        monkeypatch.setenv("ASSAY_HTTPS", "1")
    if name.startswith("ASSAY_OIDC_") and name != "ASSAY_OIDC_URL":
        monkeypatch.setenv("ASSAY_OIDC_URL", "https://id.a.org")
    for provider in ("ASSAY_GITHUB", "ASSAY_OIDC"):
        for client in (f"{provider}_CLIENT_ID", f"{provider}_CLIENT_SECRET"):
            if name.startswith(provider) and name != "ASSAY_GITHUB_CLIENT_ID":
                monkeypatch.setenv(client, "one more")
    if name == "ASSAY_GITHUB_CLIENT_ID":
        monkeypatch.setenv("ASSAY_GITHUB_CLIENT_SECRET", "one more")
    if name == "ASSAY_EMBEDDED":
        monkeypatch.setenv("ASSAY_SECRET_KEY", SECRET)


def test_every_variable_has_a_right_value_here_and_a_wrong_one() -> None:
    assert RIGHT.keys() | {"ASSAY_DATA_DIR"} == ROWS.keys()
    assert {name for name, _ in WRONG} | ANY == ROWS.keys()


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_value_is_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, setting, expected = RIGHT[name]
    needed(name, monkeypatch)
    default: Any = read()
    monkeypatch.setenv(name, value)
    found: Any = read()
    for part in setting.split("."):
        found, default = found[part], default.get(part)
    assert found == expected != default


def test_with_https_cookies_and_pages_go_by_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "SECURE_PROXY_SSL_HEADER" not in read()
    monkeypatch.setenv("ASSAY_HTTPS", "1")
    found = read()
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "DEBUG")
    assert [found[name] for name in names] == [True, True, True, False]
    assert found["SECURE_HSTS_SECONDS"] > 0
    assert found["SECURE_PROXY_SSL_HEADER"] == ("HTTP_X_FORWARDED_PROTO", "https")


@pytest.mark.parametrize(("name", "value"), [("ASSAY_HTTPS", "1"), ("ASSAY_EMBEDDED", "0")])
def test_staff_of_a_public_site_need_a_second_factor(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not read()["STAFF_SECOND_FACTOR"]
    needed(name, monkeypatch)
    monkeypatch.setenv(name, value)
    assert read()["STAFF_SECOND_FACTOR"]


def test_sqlite_has_all_that_several_writers_need() -> None:
    """docs/decisions/0006-databases.md"""
    database = read()["DATABASES"]["default"]
    assert database["ENGINE"] == "django.db.backends.sqlite3"
    assert database["OPTIONS"] == {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    assert not database.get("ATOMIC_REQUESTS")


@pytest.mark.parametrize("blank", ["", " \n"])
def test_empty_variables_count_as_not_set(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unset = read()
    for name in RIGHT:
        monkeypatch.setenv(name, blank)
    found = read()
    assert found["PROJECTS"].items() >= {name: blank for name in found["PROJECTS"]
                                         if name in RIGHT}.items()  # fmt: skip
    assert {**found, "PROJECTS": None} == {**unset, "PROJECTS": None}


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_named_with_what_the_page_allows(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(name, monkeypatch)
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingError) as caught:
        read()
    found, _, allowed = str(caught.value).rstrip(".").partition(" must be ")
    assert found.startswith(f"{name} ")
    assert ("a value that is not shown here" in found) is (name in HIDDEN)
    assert name in HIDDEN or repr(value.split(",")[-1]) in found or repr(value.split()[0]) in found
    page = PAGE if name in SWITCHES else ROWS[name]
    assert allowed in page.replace("`", "")


def test_a_data_directory_that_cannot_be_had_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "file/below"))
    with pytest.raises(SettingError, match="^ASSAY_DATA_DIR is '.*/file/below': it must be a dir"):
        read()


@pytest.mark.parametrize("provider", ["GITHUB", "OIDC"])
@pytest.mark.parametrize("lacking", ["CLIENT_ID", "CLIENT_SECRET"])
def test_half_a_client_of_a_provider_is_refused(
    provider: str, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(f"ASSAY_{provider}_NAME", monkeypatch)
    monkeypatch.delenv(f"ASSAY_{provider}_{lacking}")
    names = f"ASSAY_{provider}_CLIENT_ID and ASSAY_{provider}_CLIENT_SECRET"
    if (provider, lacking) == ("GITHUB", "CLIENT_ID"):
        assert "github" not in read()["SOCIALACCOUNT_PROVIDERS"]
    else:
        with pytest.raises(SettingError, match=f"^Set both {names} for"):
            read()


def test_without_the_embedded_mode_a_secret_key_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_EMBEDDED", "0")
    with pytest.raises(SettingError, match="^ASSAY_SECRET_KEY is not set: "):
        read()


GUNICORN = ("-m", "gunicorn", "leaderboard.wsgi", "--bind", "127.0.0.1:0", "--no-control-socket")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (1, ("manage.py", "up")),
        (4, GUNICORN),
        (2, ("-m", "evaluation", "locate-sources", "--tasks", "no.jsonl", "--out", "no.json")),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_a_program_with_a_wrong_setting_ends_with_one_sentence(
    code: int, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PROJECTS_GB", "much")
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code
    said = [line for line in done.stderr.splitlines() if "[INFO]" not in line]
    sentence = "ASSAY_PROJECTS_GB is 'much': it must be a number of GiB, from 0.1 to 1000000."
    if words == GUNICORN:  # which adds its own lines
        assert "Traceback" not in done.stderr
        assert sentence in said
    else:
        assert (done.stdout, said) == ("", [sentence])
