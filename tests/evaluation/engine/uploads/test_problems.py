"""Everything that can be wrong with a file, each with its line and a plain sentence."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError, UploadError
from evaluation.engine.records import Problem, Slot, Task
from evaluation.engine.uploads import Bounds, SlotIndex, UploadReport, check, read
from tests.evaluation.engine.uploads.conftest import Put
from tests.support.linear import is_linear

GOOD = '{"task_id": 1, "completion": "x"}\n'
SMALL = Bounds(record_bytes=200, generation_chars=50, generations_per_slot=2)
BAD_LINES = [
    (b'{"task_id": 9, "completion": ""}', "9", "no such task"),
    (b'{"task_id": true, "completion": ""}', None, "The task id is a boolean"),
    (b'{"task_id": null, "completion": ""}', None, "The task id is null"),
    (b'{"task_id": 123456789012345678901, "completion": ""}', "123456789012345678901", "no such"),
    (b'{"\\u0000task": [], "completion": ""}', None, "The task id is a list"),
    (b'{"completion": ""}', None, "has no `task_id`"),
    (b'{"task_id": 2}', 2, "has no generation"),
    (b'{"task_id": 2, "completion": 5}', 2, "`completion` is a number"),
    (b'{"task_id": 2, "completion": ["x"]}', 2, "several generations under `outputs`"),
    (b'{"task_id": 2, "outputs": [[]]}', 2, "`outputs` is empty"),
    (b'{"task_id": 2, "outputs": null}', 2, "`outputs` is null"),
    (b'{"task_id": 2, "outputs": ["x", null]}', 2, "Generation 2 is null"),
    (b'{"task_id": 2, "outputs": [["x"], ["y"]]}', 2, "Generation 1 is a list"),
    (b'{"task_id": 2, "outputs": ["x"], "completion": "x"}', 2, "both `outputs` and `completion`"),
    (b'{"task_id": 2, "messages": [], "code": "x"}', 2, "belong to a dynamic setting"),
    (b'{"task_id": 2, "completion": "\\ud800"}', 2, "half of a surrogate pair"),
    (b'{"task_id": 2, "completion": "\xff"}', None, "not valid UTF-8: byte 0xff at position 31"),
    (b'{"task_id": 2, "completion": "x"', None, "not valid JSON"),
    (b'{"task_id": 2, "completion": "%s"}' % (b"x" * 51), 2, "longer than 50 characters"),
    (b'{"task_id": 2, "completion": "%s"}' % (b"x" * 250), None, "longer than 200 bytes"),
    (b'{"task_id": 2, "outputs": ["x", "x", "x"]}', 2, "more than 2 generations"),
    (b'{"task_id": 2, "requirement": 5, "completion": "x"}', 2, "`requirement` is a number"),
    (
        b'{"task_id": 2, "requirement": "A", "completion": "x"}',
        2,
        "The record has the requirement A",
    ),
    (b'{"task_id": "\\ud800\\u0000", "completion": "x"}', "\\ud800\\x00", "no such task"),
    (b"[1]", None, "The record is a list"),
    (b"[" * 1000, None, "longer than 200 bytes"),
]


def problems(path: Path, index: SlotIndex, bounds: Bounds = SMALL) -> tuple[Problem, ...]:
    """The problems that `check` reports; `read` must raise the first of them."""
    report = check(path, index, bounds)
    with pytest.raises(UploadError) as raised:
        list(read(path, index, bounds))
    assert raised.value.problems == report.problems[:1]
    return report.problems


@pytest.mark.parametrize(("line", "task", "words"), BAD_LINES)
def test_a_bad_line_is_named_with_its_task(
    line: bytes, task: int | str | None, words: str, put: Put, index: SlotIndex
) -> None:
    path = put(GOOD.encode() + b"\n" + line + b"\n" + GOOD.encode())
    (problem,) = problems(path, index)
    assert (problem.line, problem.task_id) == (3, task)
    assert words in problem.sentence


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"meta": {"id": 2}}, "has no `outputs`"),
        ({"outputs": "x"}, "has no `meta.id`"),
        ({"outputs": "x", "meta": 5}, "has no `meta.id`"),
        ({"outputs": "x", "meta": {"id": 1}}, "Line 4 already has the generations of this task."),
        (5, "The record is a number"),
    ],
)
def test_a_bad_record_of_a_pretty_document_is_named_by_its_first_line(
    row: object, words: str, put: Put, index: SlotIndex
) -> None:
    rows = [{"outputs": "x", "meta": {"id": 1}}, row]
    path = put(json.dumps({"data": {"test": rows}}, indent=1))
    (problem,) = problems(path, index)
    assert problem.line == 10
    assert words in problem.sentence


def log(resps: object) -> str:
    return json.dumps({"doc": {"meta": {"id": 1}}, "resps": resps}) + "\n"


OUTPUTS = '{"task_id": 1, "outputs": "x"}\n'
TYPED = "".join(json.dumps({"task_id": 1, "type": t, "completion": "x"}) + "\n" for t in "AB")


ODD_RECORDS = [
    (log(["x"]), 1, "list of lists"),
    (log([[]]), 1, "is empty"),
    (log([[5]]), 1, "Generation 1"),
    (log([["x"]]) * 2, 2, "several filters"),
    (OUTPUTS * 2, 2, "Line 1 already has"),
    (GOOD + OUTPUTS, 2, "Line 1 gives generations of this task in the other form"),
    (TYPED, 2, "The `type` differs from line 1"),
    (GOOD * 3, 3, "more than 2 generations"),
    ('{"task_id": 1, "completion": "%s"}\n' % ("x" * 300), 1, "longer than 200 bytes. "),
    (
        '{"task_id": 1, "completion": "a\tb"}\n',
        None,
        "Invalid control character at character 32",
    ),
]


@pytest.mark.parametrize(("content", "line", "words"), ODD_RECORDS)
def test_a_record_that_does_not_go_with_the_others_is_named(
    content: str, line: int | None, words: str, put: Put, index: SlotIndex
) -> None:
    (problem,) = problems(put(content), index)
    assert (problem.line, words in problem.sentence) == (line, True)


def test_a_requirement_that_is_missing_or_fits_no_slot_is_told_which_there_are(
    put: Put, requirements: SlotIndex
) -> None:
    (problem,) = problems(put(GOOD), requirements)
    assert "one of A, B and C" in problem.sentence
    assert "choose the setting that takes generations without" in problem.sentence
    text = '{"task_id": 1, "requirement": "D", "completion": "x"}'
    (problem,) = problems(put(text), requirements)
    assert "no requirement D in this setting. It has A, B and C" in problem.sentence


def test_a_task_without_slots_takes_nothing(put: Put) -> None:
    index = SlotIndex.of([Task(1, {}, {})], lambda _: [])
    assert "takes no generations in this setting" in problems(put(GOOD), index)[0].sentence


UNREADABLE = [
    (b"[]", "contains no generations"),
    (b'{"model": "m", "predictions": [ ]}\n', "contains no generations"),
    (b'{"Results": []}', "contains no generations"),
    (b'{"answers": {}}', "contains no generations"),
    (b'{"a": 1, "samples": []}\n' * 2, "Its keys are `a`, `samples`."),
    (b'{"data": {"test": []}}', "contains no generations"),
    (b'{"data": {"test": {}}}', "The format is unknown"),
    (b'{"a": 1}', "The format is unknown"),
    (b"[" * 100_000, "cut off"),
    (b'{"data":' * 100_000, "The record is longer than 200 bytes"),
]


@pytest.mark.parametrize(("content", "words"), UNREADABLE)
def test_a_file_that_cannot_be_read_at_all_is_one_problem(
    content: bytes, words: str, put: Put, index: SlotIndex
) -> None:
    (problem,) = problems(put(content), index)
    assert words in problem.sentence


@pytest.mark.parametrize("end", ["", "]", "]}", "]}}x", "]}, 5}", '], "test": []}}', "},"])
def test_a_document_that_does_not_end_well_is_a_problem(
    end: str, put: Put, index: SlotIndex
) -> None:
    path = put('{"data": {"test": [\n{"outputs": "x", "meta": {"id": 1}}\n' + end)
    report = check(path, index)
    assert (report.format, report.generations, report.problems[0].line) == ("mera", 1, 3)


def test_deep_nesting_is_a_problem_and_not_a_crash(put: Put, index: SlotIndex) -> None:
    deep = b'{"task_id": 2, "x": %s, "completion": "x"}' % (b"[" * 100_000 + b"]" * 100_000)
    (problem,) = problems(put(GOOD.encode() + deep), index, Bounds())
    assert (problem.line, problem.sentence[:25]) == (2, "This is nested too deeply")


def test_problems_beyond_the_bound_are_counted(put: Put, index: SlotIndex) -> None:
    lines = (f'{{"task_id": 1, "completion": "x", "requirement": "{n}"}}\n' for n in range(250))
    report = check(put(GOOD + "".join(lines)), index)
    assert (len(report.problems), report.more, report.ok) == (100, 150, False)
    assert [problem.line for problem in report.problems[:2]] == [2, 3]
    assert report.repeats == {}


def test_a_repeated_problem_is_listed_five_times_and_then_counted(
    put: Put, index: SlotIndex
) -> None:
    report = check(put(GOOD + "x\n" * 250 + "[]\n"), index)
    repeated = report.problems[0].sentence
    assert [problem.line for problem in report.problems] == [2, 3, 4, 5, 6, 252]
    assert (report.more, report.repeats) == (245, {repeated: 245})


def test_empty_generations_are_a_warning(put: Put, index: SlotIndex) -> None:
    empty = '{"task_id": 2, "outputs": ["", " \\n", "x"]}\n'
    report = check(put(GOOD + empty), index)
    assert report.ok
    assert "2 of 4 generations are empty and cannot pass." in " ".join(report.warnings)
    assert "empty" not in " ".join(check(put(GOOD), index).warnings)


def test_records_beyond_the_bound_end_the_reading(put: Put, index: SlotIndex) -> None:
    (problem,) = problems(put(GOOD * 9), index, Bounds(records=8))
    assert (problem.line, problem.sentence) == (
        9,
        "The file has more than 8 records. Upload fewer samples of each task.",
    )


def test_the_report_says_what_is_missing(put: Put, requirements: SlotIndex) -> None:
    rows = ['{"task_id": 1, "requirement": "A", "completion": "x"}'] * 3
    rows.append('{"task_id": 1, "requirement": "C", "completion": "x"}')
    assert check(put("\n".join(rows)), requirements) == UploadReport(
        format="records",
        format_words="records with a task_id and `outputs`, `completion` or `code` "
        "(one record per line)",
        generations=4,
        size=4,
        tasks_seen=1,
        confirmations=(
            "The file covers only 1 of 2 tasks. 1 of 2 tasks have no generation: they will count "
            "as 6 wrong samples.",
        ),
        warnings=(
            "1 requirements have no generation in tasks that have others: "
            "they will count as 3 wrong samples.",
            "Tasks have between 1 and 3 generations: k is limited to 1.",
        ),
        missing=(2,),
        samples_min=1,
        samples_max=3,
        filled=frozenset({("1", "A"), ("1", "C")}),
    )


def test_ids_and_slots_that_a_file_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(BenchmarkError, match="Two tasks have the id 1"):
        SlotIndex.of([Task(1, {}, {}), Task("1", {}, {})], lambda _: [Slot()])
    with pytest.raises(BenchmarkError, match="two slots"):
        SlotIndex.of([Task(1, {}, {})], lambda _: [Slot(turn=0), Slot(turn=1)])


def test_an_id_is_found_by_its_text(index: SlotIndex) -> None:
    assert index.find("2", None) == index.find(2, None) == (2, Slot())
    assert index.find(2, "A") is index.find(9, None) is None


PARTS = [GOOD, GOOD[:-3], "[", "]", "{", "}", '"', ",", ":", "\\", "\n", "data", "test", '{"data":']
PARTS += ['{"test":[', '"outputs"', '"meta":{"id":1}', "\x1f\x8b", "PK\x03\x04", "\ufeff", "1e999"]
MAGIC = st.sampled_from([b"", b"\x1f\x8b\x08", b"PK\x03\x04", b"PK\x05\x06", b"\xef\xbb\xbf", b"["])
JUNK = st.builds(bytes.__add__, MAGIC, st.binary(max_size=80)) | st.lists(
    st.sampled_from(PARTS), max_size=12
).map(lambda parts: "".join(parts).encode("latin-1", "replace"))


@settings(deadline=None)
@given(JUNK)
def test_junk_is_a_problem_and_never_a_crash(content: bytes) -> None:
    index = SlotIndex.of([Task(1, {}, {})], lambda _: [Slot()])
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(content)
        report = check(Path(file.name), index)
        try:
            count = len(list(read(Path(file.name), index)))
        except UploadError as error:
            assert error.problems[0] == report.problems[0]
        else:
            assert (report.ok, report.generations) == (True, count)


def test_a_document_of_endless_keys_is_given_up_soon(put: Put, index: SlotIndex) -> None:
    records = '{"test": [{"outputs": "x", "meta": {"id": 1}}]}'
    path = put('{"data": ' + records + "," + '"a": 1,' * 20_000 + '"z": 1}')
    report = check(path, index)
    assert [problem.sentence[:41] for problem in report.problems] == [
        "The document has more than 10,000 keys be"
    ]
    path = put("{" + '"a": 1,' * 20_000 + '"data": ' + records + "}")
    assert not check(path, index).ok


@pytest.mark.parametrize(
    "text_of",
    [
        lambda size: '{"%s": 1}' % ("a" * 20 * size),
        lambda size: json.dumps({"completion": '"', **dict.fromkeys(map(str, range(size)))}),
        lambda size: GOOD.replace(",", ', "a": 0' * size + ","),
    ],
)
def test_the_time_is_linear_in_the_size_of_a_record(
    text_of: Callable[[int], str], put: Put, index: SlotIndex
) -> None:
    assert is_linear(lambda size: check(put(text_of(size)), index), 20_000)


def mera(**record: object) -> dict[str, object]:
    return {"data": {"test": [record]}}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"task_id": 1, "answer": "x"}, ["`task_id`, `answer`", "`answer`: rename it to `compl"]),
        ({"task_id": 1, "answers": ["x"]}, ["`answers`: rename it to `outputs`?"]),
        ({"task_id": 1, "choices": [{"text": "x"}]}, ["Its keys are `task_id`, `choices`."]),
        ({"task_id": 1, "verse": ["x"]}, ["Its keys are `task_id`, `verse`."]),
        ({"task_id": 1, "Completions": ["x"]}, ["`Completions`: rename it to `outputs`?"]),
        ({"task_id": 1, "compleation": "x"}, ["`compleation`: rename it to `completion`?"]),
        ({"task_id": 1, "modelAnswer": "x"}, ["`modelAnswer`: rename it to `completion`?"]),
        ({"task_id": 1, "full_code": "x"}, ["`full_code`: rename it to `completion`?"]),
        ({"task_id": 1, **dict.fromkeys("abcdefgh", 0), "answer": "x"}, ["`answer`: rename it"]),
        ({"taskId": 1, "code": "x"}, ["`taskId`: rename it to `task_id`?"]),
        ({"id": 1, "completion": "x"}, ["`id`: rename it to `task_id`?"]),
        ({"question_id": 1, "prediction": "x"}, ["`question_id`: rename", "`prediction`: rename"]),
        ({"prompt": "x", "model": "y"}, ["The format is unknown", "`prompt`, `model`"]),
        ({"task_id": 1, "a`b": "x"}, ["`a'b`"]),
        ({"task_id": 1, **dict.fromkeys("abcdefgh", 0)}, ["`f`, `g`."]),
        (mera(answer="x", meta={"id": 1}), ["`answer`: rename it to `outputs`?"]),
        (mera(outputs="x", id=1), ["Its keys are `outputs`, `id`. `id`: rename it to `meta.id`?"]),
        (mera(outputs="x", meta={"idx": 1}), ["`meta.idx`: rename it to `meta.id`?"]),
        ({"outputs": "x", "meta": {"id": 1}}, ["`meta.id`: rename it to `task_id`?"]),
        ({"doc": {"id": 1, "meta": {}}, "resps": [["x"]]}, ["keys are `doc.id`, `doc.meta`."]),
        ({"predictions": ["x", "y"]}, ["Its keys are `predictions`."]),
        ({"namespace": "a.b", "answer": "x"}, ["`answer`: rename it to `completion`?"]),
        ({"1": {}}, ["The record has no generation"]),
        (mera(), ["`meta.id`"]),
        ({"1": {"answer": "x"}}, ["Its keys are `answer`. `answer`: rename it to `completion`?"]),
    ],
)
def test_keys_that_are_not_known_are_named_with_the_nearest_known(
    record: dict[str, object], words: list[str], put: Put, index: SlotIndex
) -> None:
    (problem,) = check(put(json.dumps(record)), index).problems
    for part in words:
        assert part in problem.sentence
    assert "keys are ." not in problem.sentence
    assert ("rename" in problem.sentence) == any("rename" in part for part in words)


@pytest.mark.parametrize(
    ("value", "task", "words"),
    [
        (None, 1, "`completion` is null"),
        (5, 1, "`completion` is a number"),
        ({"generation": "x"}, 1, "has no generation"),
        ({"task_id": 2, "code": "x"}, 2, "under the key 1, but its own id is 2"),
    ],
)
def test_a_bad_value_of_a_task_s_key_is_named_with_its_task(
    value: object, task: int, words: str, put: Put, index: SlotIndex
) -> None:
    (problem,) = problems(put(json.dumps({"1": value, "3": "y"})), index)
    assert (problem.task_id, words in problem.sentence) == (task, True)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('{"task_id": 1, "completion": "x", "completion": "\\"completion\\":"}', (1, 1, 16, 1, 35)),
        ('\n{"task_id" : 1,\n"completion" : "x",\n"completion" : "y"}', (1, 3, 17, 4, 37)),
        (f'[{GOOD}, {{"task_id":2,"completion":"x","completion":"y"}}]', (2, 2, 14, 2, 31)),
        (
            '{"data":{"test":[{"outputs":"x","meta":{"completion":0,"id":1,"completion":1}}]}}',
            (1, 1, 24, 1, 46),
        ),
        (
            '{"note":"completion","task_id":1,"completion":"é","compl\\u0065tion":"y"}',
            (1, 1, 34, 1, 51),
        ),
    ],
)
def test_a_key_that_is_there_twice_is_a_warning_with_both_places(
    text: str, places: tuple[int, ...], put: Put, index: SlotIndex
) -> None:
    report = check(put(text), index)
    assert report.ok
    (warning,) = report.warnings
    place = "line {}, character {} of the record"
    words = f"`completion` is twice in record {{}} ({place}; {place})"
    assert warning.startswith(words.format(*places))


def test_text_that_looks_like_keys_is_no_double(put: Put, index: SlotIndex) -> None:
    code = '{"task_id": 1, "completion": 2, "completion":3}'
    text = json.dumps({"task_id": 1, "completion": code, "x": {"completion": {"task_id": 1}}})
    assert check(put(text), index).warnings == ()


def test_a_task_with_two_keys_is_a_warning_with_both_lines(put: Put, index: SlotIndex) -> None:
    report = check(put('{"1": "x",\n"2": "y", "1": "z"}'), index)
    assert (report.ok, report.generations) == (True, 3)
    places = "record 1, line 1; record 3, line 2"
    assert f"Task 1 is there twice ({places})" in " ".join(report.warnings)


def test_doubles_are_bounded(put: Put, index: SlotIndex) -> None:
    line = '{"task_id": 1, "completion": "x", "completion": "y"}\n'
    assert len(check(put(line * 8), index, Bounds(problems=5)).warnings) == 5


@pytest.mark.parametrize(("missing", "asked"), [(0, 0), (2, 0), (3, 1), (19, 1)])
def test_a_file_that_covers_few_tasks_needs_a_confirmation(
    missing: int, asked: int, put: Put
) -> None:
    index = SlotIndex.of([Task(name, {}, {}) for name in range(20)], lambda _: [Slot()])
    rows = "\n".join(
        json.dumps({"task_id": name, "completion": "x"}) for name in range(20 - missing)
    )
    report = check(put(rows), index)
    assert (report.ok, len(report.confirmations)) == (True, asked)
    for sentence in report.confirmations:
        assert f"{20 - missing} of 20 tasks" in sentence
