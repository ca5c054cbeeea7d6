"""CodeIF-Bench L-1 part 2: what its projects need, and why verdicts are not the published ones."""

from __future__ import annotations

from typing import NamedTuple

V0, NEWER = "v0", "2025-07"
REVISIONS = (V0, NEWER)


class Source(NamedTuple):
    """A project of the dataset, the repository that it is, the commit that has to be found
    there, and what its tests need beside what it names itself: packages, a build command."""

    project: str
    repository: str
    commit: str
    requires: tuple[str, ...] = ()
    build: str = ""


SOURCES = (
    Source(
        "Communications/IMAPClient",
        "mjs/imapclient",
        "248f09afb844ee2e4c402eb364883bbf8c8b9108",
    ),
    Source(
        "Database/csvs-to-sqlite",
        "simonw/csvs-to-sqlite",
        "33b79ed80a688ceae4486ebdcca28ae689f54c03",
    ),
    Source(
        "Database/sqlitedict",
        "piskvorky/sqlitedict",
        "e56cf0cf6bc7499cd8e12618d7022a8bc614d90a",
    ),
    Source(
        "Internet/Jinja2",
        "pallets/jinja",
        "b08cd4bc64bb980df86ed2876978ae5735572280",
        # Requirements' tests are coroutines that nothing marks; warnings are errors there.
        build="pip install -e . ; pip install pytest pytest-asyncio ; "
        r"sed -i '/^\[tool:pytest\]/a asyncio_mode = auto\n"
        "asyncio_default_fixture_loop_scope = function' setup.cfg",
    ),
    Source(
        "Security/trailscraper",
        "flosell/trailscraper",
        "875a46514a0ecb4484bcd5375defa28dd00300eb",
    ),
    Source(
        "Software-Development/discord-py",
        "Rapptz/discord.py",
        "f81c08729a6bbc71d9d4fe776676e19cd8f127ff",
    ),
    Source(
        "System/exodus-bundler",
        "intoli/exodus",
        "ef3d5e92c1b604b09cf0a57baff0f4d0b421b8da",
    ),
    Source(
        "Text-Processing/feedparser",
        "kurtmckee/feedparser",
        "14425f6851790184fbf7bbd8076de237d5f444f9",
        # The function under test imports it where it is there; it is no requirement.
        ("idna",),
    ),
    Source(
        "Utilities/PyJWT",
        "jpadilla/pyjwt",
        "a4e1a3d1218b01c5806420b8f16d9308ac4adc30",
    ),
    Source(
        "Utilities/pytube",
        "pytube/pytube",
        "2ff84938cddd02a78053204517389374f5be7019",
    ),
)


class Difference(NamedTuple):
    """Verdicts that are not the published results: in these settings, with these revisions."""

    task: str
    category: str | None
    settings: tuple[str, ...]
    revisions: tuple[str, ...]
    why: str
    model: str = "claude"


# Why a verdict is not the published result.
BY_NEWER = "the result was made with the newer revision's text; v0's cannot pass here"
BY_V0 = "the result was made with v0's text; the newer revision has another requirement's there"
BY_OTHER = "the result was made with a text that is in neither revision"
FIRST_TURN = "the results of Multi-Turn leave out the test of the first turn, which fails"
SHARED = "two tasks have this node id; the result was made with the other one's test"
IMPORTS = "the requirement that only the newer revision has imports your_module, and accumulates"
EITHER, OLD, NEW = REVISIONS, (V0,), (NEWER,)
ROUNDS, SINGLE, TWO, TURNS = (
    ("single_round", "two_round"), ("single_round",), ("two_round",), ("multi_turn",)
)  # fmt: skip
IN_OUT, ERRORS, EDGE = "Input-Output Conditions", "Exception Handling", "Edge Case Handling"
TYPES, COMPLEXITY, STYLE = "Annotation Coverage", "Code Complexity", "Code Standard"
VERSION = "imapclient.version._imapclient_version_string"
TABLE, TABLES = "csvs_to_sqlite.utils.table_exists", "sqlitedict.SqliteDict.get_tablenames"
AITER, IAM = "jinja2.async_utils.auto_aiter", "trailscraper.iam.all_known_iam_permissions"
SLOTS, INSIDE = "discord.utils.get_slots", "discord.utils.is_inside_class"
TO_INT, BYTES = "exodus_bundler.bundling.bytes_to_int", "jwt.utils.force_bytes"
BAR = "pytube.cli.display_progress_bar"
DIFFERENCES = (
    # v0 does not import Tuple, and wants a complexity of 1 where the other wants 2 at most.
    Difference(VERSION, TYPES, ROUNDS, OLD, BY_NEWER),
    Difference(VERSION, COMPLEXITY, TWO, OLD, BY_NEWER),
    # A function of a module that has a parameter self, in both revisions.
    Difference(TABLE, COMPLEXITY, ROUNDS, EITHER, BY_OTHER),
    Difference(TABLE, STYLE, TWO, OLD, BY_NEWER),
    Difference(TABLE, ERRORS, TURNS, NEW, IMPORTS),
    Difference(TABLE, EDGE, TURNS, NEW, IMPORTS),
    Difference(TABLE, TYPES, TURNS, NEW, IMPORTS),
    # v0 does not dedent the method's source.
    Difference(TABLES, COMPLEXITY, ROUNDS, OLD, BY_NEWER),
    # It wants a database that another test of the class makes and removes.
    Difference(TABLES, IN_OUT, TURNS, EITHER, FIRST_TURN),
    Difference(TABLES, ERRORS, TURNS, EITHER, FIRST_TURN),
    # v0 compares types with texts, and has a function of a module with a parameter self.
    Difference(AITER, TYPES, ROUNDS, OLD, BY_NEWER),
    Difference(AITER, COMPLEXITY, ROUNDS, OLD, BY_NEWER),
    # v0 hands byte code to what wants sources.
    Difference(IAM, COMPLEXITY, ROUNDS, OLD, BY_NEWER),
    # In the authors' file is_inside_class' tests stand below those of the same names; the one of
    # annotations is get_slots', with an import of typing that neither revision has.
    Difference(SLOTS, IN_OUT, TWO, EITHER, SHARED),
    Difference(SLOTS, IN_OUT, TURNS, EITHER, SHARED),
    Difference(SLOTS, COMPLEXITY, ROUNDS, NEW, SHARED),
    Difference(SLOTS, STYLE, SINGLE, EITHER, SHARED),
    Difference(SLOTS, TYPES, ROUNDS, EITHER, BY_OTHER),
    Difference(INSIDE, TYPES, ROUNDS, OLD, SHARED),
    # v0 wants a complexity of 1, the other 3 at most.
    Difference(TO_INT, COMPLEXITY, TWO, OLD, BY_NEWER),
    Difference(TO_INT, IN_OUT, TURNS, EITHER, FIRST_TURN),
    # The newer revision has the text of Edge Case Handling under Exception Handling.
    Difference(BYTES, ERRORS, (*ROUNDS, *TURNS), NEW, BY_V0),
    Difference(BYTES, COMPLEXITY, TURNS, NEW, BY_V0),
    Difference(BYTES, STYLE, TURNS, NEW, BY_V0),
    # Of two assertions in one line, which does not parse, the second one alone.
    Difference(BAR, TYPES, TWO, EITHER, BY_OTHER),
    Difference(BAR, ERRORS, TURNS, EITHER, FIRST_TURN),
)
