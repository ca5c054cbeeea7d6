"""CodeIF-Bench L-1 part 2: the sources of its projects, and the known reasons for verdicts that
differ from the published results."""

from typing import NamedTuple

V0, NEWER = "v0", "2025-07"
REVISIONS = (V0, NEWER)


class Source(NamedTuple):
    """A project of the dataset: its repository, the commit that must be found there, and what its
    tests need in addition to its own requirements: packages, a build command."""

    project: str
    repository: str
    commit: str
    requires: tuple[str, ...] = ()
    build: str = ""


SOURCES = (
    Source(
        "Communications/IMAPClient", "mjs/imapclient", "248f09afb844ee2e4c402eb364883bbf8c8b9108"
    ),
    Source(
        "Database/csvs-to-sqlite",
        "simonw/csvs-to-sqlite",
        "33b79ed80a688ceae4486ebdcca28ae689f54c03",
    ),
    Source(
        "Database/sqlitedict", "piskvorky/sqlitedict", "e56cf0cf6bc7499cd8e12618d7022a8bc614d90a"
    ),
    Source(
        "Internet/Jinja2",
        "pallets/jinja",
        "b08cd4bc64bb980df86ed2876978ae5735572280",
        # The requirements' tests are coroutines without a marker, and this project turns warnings
        # into errors.
        build="pip install -e . ; pip install pytest pytest-asyncio ; "
        r"sed -i '/^\[tool:pytest\]/a asyncio_mode = auto\n"
        "asyncio_default_fixture_loop_scope = function' setup.cfg",
    ),
    Source(
        "Security/trailscraper", "flosell/trailscraper", "875a46514a0ecb4484bcd5375defa28dd00300eb"
    ),
    Source(
        "Software-Development/discord-py",
        "Rapptz/discord.py",
        "f81c08729a6bbc71d9d4fe776676e19cd8f127ff",
    ),
    Source("System/exodus-bundler", "intoli/exodus", "ef3d5e92c1b604b09cf0a57baff0f4d0b421b8da"),
    Source(
        "Text-Processing/feedparser",
        "kurtmckee/feedparser",
        "14425f6851790184fbf7bbd8076de237d5f444f9",
        # The function under test imports it if it is installed; the project does not require it.
        ("idna",),
    ),
    Source("Utilities/PyJWT", "jpadilla/pyjwt", "a4e1a3d1218b01c5806420b8f16d9308ac4adc30"),
    Source("Utilities/pytube", "pytube/pytube", "2ff84938cddd02a78053204517389374f5be7019"),
)


class Difference(NamedTuple):
    """Verdicts that differ from the published results in these settings, with these revisions."""

    task: str
    category: str | None
    settings: tuple[str, ...]
    revisions: tuple[str, ...]
    why: str
    model: str = "claude"


# The reasons why a verdict differs from the published result.
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
    # v0 does not import Tuple, and requires a complexity of 1; the newer revision allows 2.
    Difference(VERSION, TYPES, ROUNDS, OLD, BY_NEWER),
    Difference(VERSION, COMPLEXITY, TWO, OLD, BY_NEWER),
    # In both revisions the test is a module-level function with a parameter self.
    Difference(TABLE, COMPLEXITY, ROUNDS, EITHER, BY_OTHER),
    Difference(TABLE, STYLE, TWO, OLD, BY_NEWER),
    Difference(TABLE, ERRORS, TURNS, NEW, IMPORTS),
    Difference(TABLE, EDGE, TURNS, NEW, IMPORTS),
    Difference(TABLE, TYPES, TURNS, NEW, IMPORTS),
    # v0 does not dedent the method's source.
    Difference(TABLES, COMPLEXITY, ROUNDS, OLD, BY_NEWER),
    # The test needs a database that another test of the class creates and removes.
    Difference(TABLES, IN_OUT, TURNS, EITHER, FIRST_TURN),
    Difference(TABLES, ERRORS, TURNS, EITHER, FIRST_TURN),
    # v0 compares types with strings, and has a module-level test function with a parameter self.
    Difference(AITER, TYPES, ROUNDS, OLD, BY_NEWER),
    Difference(AITER, COMPLEXITY, ROUNDS, OLD, BY_NEWER),
    # v0 passes a code object to a function that expects source text.
    Difference(IAM, COMPLEXITY, ROUNDS, OLD, BY_NEWER),
    # In the authors' file the tests of is_inside_class stand below those of get_slots with the same
    # names; the annotations test there is get_slots', with an import of typing that neither
    # revision has.
    Difference(SLOTS, IN_OUT, TWO, EITHER, SHARED),
    Difference(SLOTS, IN_OUT, TURNS, EITHER, SHARED),
    Difference(SLOTS, COMPLEXITY, ROUNDS, NEW, SHARED),
    Difference(SLOTS, STYLE, SINGLE, EITHER, SHARED),
    Difference(SLOTS, TYPES, ROUNDS, EITHER, BY_OTHER),
    Difference(INSIDE, TYPES, ROUNDS, OLD, SHARED),
    # v0 requires a complexity of 1; the newer revision allows 3.
    Difference(TO_INT, COMPLEXITY, TWO, OLD, BY_NEWER),
    Difference(TO_INT, IN_OUT, TURNS, EITHER, FIRST_TURN),
    # The newer revision has the text of Edge Case Handling under Exception Handling.
    Difference(BYTES, ERRORS, (*ROUNDS, *TURNS), NEW, BY_V0),
    Difference(BYTES, COMPLEXITY, TURNS, NEW, BY_V0),
    Difference(BYTES, STYLE, TURNS, NEW, BY_V0),
    # The newer revision has two assertions in one line, which does not parse; the result was made
    # with the second one alone.
    Difference(BAR, TYPES, TWO, EITHER, BY_OTHER),
    Difference(BAR, ERRORS, TURNS, EITHER, FIRST_TURN),
)
