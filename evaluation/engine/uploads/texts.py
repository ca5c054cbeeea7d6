"""The sentences about uploads: problems, warnings and names of formats."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

# Packing.
BROKEN_COMPRESSION = Text(
    "uploads.broken_compression",
    _("The compressed file is broken (%(reason)s). Compress it again."),
)
BROKEN_ZIP = Text("uploads.broken_zip", _("The zip file is broken (%(reason)s). Pack it again."))
UNPACKS_TOO_FAR = Text(
    "uploads.unpacks_too_far",
    _("The file unpacks to more than %(ratio)s times its size. Upload it with less compression."),
)
UNPACKS_TOO_LONG = Text(
    "uploads.unpacks_too_long",
    _("The file is longer than %(size)s when unpacked. Split it into several submissions."),
)
ZIP_MANY_FILES = Text(
    "uploads.zip_many_files",
    _("The zip contains more than %(number)s files. Leave some out, or upload several zips."),
)
ZIP_EMPTY = Text("uploads.zip_empty", _("The zip contains no file. Pack the predictions into it."))
ZIP_WHICH = Text(
    "uploads.zip_which",
    _("The zip contains %(number)s files: upload only one, or name one of them."),
)
ZIP_WHICH_NAMED = Text(
    "uploads.zip_which_named",
    _(
        "The zip contains %(number)s files: upload only one, or name the file of this "
        "benchmark like %(family)s.json."
    ),
)
ZIP_SEVERAL_NAMED = Text(
    "uploads.zip_several_named",
    _("%(number)s files in the zip are named like %(family)s: keep only one of them."),
)
ZIP_ENCRYPTED = Text(
    "uploads.zip_encrypted",
    _("The file in the zip is encrypted. Pack it without a password."),
)
ZIP_RARE_COMPRESSION = Text(
    "uploads.zip_rare_compression",
    _("The zip uses a rare kind of compression. Pack it with the usual kind (deflate)."),
)
ZIP_LARGE_DIRECTORY = Text("uploads.zip_large_directory", _("its directory is too large"))
ZIP_DIRECTORY_OUTSIDE = Text(
    "uploads.zip_directory_outside",
    _("its directory points outside of the file"),
)
PACKED_TWICE = Text(
    "uploads.packed_twice",
    _("The file is packed more than once. Upload a .gz, a .zip or the bare file."),
)
FOREIGN_PACKER = Text(
    "uploads.foreign_packer",
    _("The file is packed with %(packer)s. Upload a .gz, a .zip or the bare file."),
)
UTF16 = Text("uploads.utf16", _("The file is UTF-16. Save it as UTF-8."))
MEBIBYTES = Text("uploads.mebibytes", _("%(number)s MiB"))
BYTES = Text("uploads.bytes", _("%(number)s bytes"))

# Layout.
EMPTY_FILE = Text(
    "uploads.empty_file",
    _("The file is empty. Upload the file with the predictions."),
)
NO_GENERATIONS = Text(
    "uploads.no_generations",
    _("The file contains no generations. Check that the model's answers were written to it."),
)
MANY_RECORDS = Text(
    "uploads.many_records",
    _("The file has more than %(number)s records. Upload fewer samples of each task."),
)
TWO_TEST_ARRAYS = Text(
    "uploads.two_test_arrays",
    _("The document has `data.test` twice. Keep only one."),
)
MANY_KEYS = Text(
    "uploads.many_keys",
    _(
        "The document has more than %(number)s keys besides `data.test`. Remove those that the "
        "format does not need."
    ),
)
GOES_ON_AFTER_END = Text(
    "uploads.goes_on_after_end",
    _(
        "Something follows after the end of the JSON document. Remove it, or write one record "
        "per line."
    ),
)
KEY_NO_STRING = Text(
    "uploads.key_no_string",
    _("A key is not a JSON string. Put it in double quotes."),
)
ENDS_BEFORE = Text("uploads.ends_before", _("The file ends where %(wanted)s is expected."))
UNEXPECTED = Text(
    "uploads.unexpected",
    _("%(found)s was found where %(wanted)s is expected. Write the file with a JSON library."),
)
WANTED_KEY = Text("uploads.wanted_key", _("a key in double quotes"))
WANTED_VALUE = Text("uploads.wanted_value", _("a value"))
WANTED_EITHER = Text("uploads.wanted_either", _("%(one)s or %(other)s"))
CUT_OFF_IN_STRING = Text(
    "uploads.cut_off_in_string",
    _("The file ends inside a string: it was probably cut off."),
)
CUT_OFF_IN_VALUE = Text(
    "uploads.cut_off_in_value",
    _("The file ends inside a value: it was probably cut off."),
)
CUT_OFF_IN_BRACKETS = Text(
    "uploads.cut_off_in_brackets",
    _("The file ends before its last bracket is closed: it was probably cut off."),
)

# The text of one record.
NOT_UTF8 = Text(
    "uploads.not_utf8",
    _(
        "This is not valid UTF-8: byte %(byte)s at position %(position)s of the record. Save the "
        "file as UTF-8."
    ),
)
NOT_JSON = Text(
    "uploads.not_json",
    _(
        "This is not valid JSON: %(fault)s at character %(position)s of the record. Write the file "
        "with a JSON library."
    ),
)
TOO_DEEP = Text(
    "uploads.too_deep",
    _("This is nested too deeply to be a record of predictions. Write the generations as strings."),
)

# Faults, as worded by Python's json.
JSON_VALUE = Text("uploads.json_value", _("Expecting value"))
JSON_COMMA = Text("uploads.json_comma", _("Expecting ',' delimiter"))
JSON_COLON = Text("uploads.json_colon", _("Expecting ':' delimiter"))
JSON_PROPERTY = Text(
    "uploads.json_property",
    _("Expecting property name enclosed in double quotes"),
)
JSON_EXTRA = Text("uploads.json_extra", _("Extra data"))
JSON_CONTROL = Text("uploads.json_control", _("Invalid control character"))
JSON_STRING = Text("uploads.json_string", _("Unterminated string starting"))

# Formats.
FORM_MERA = Text(
    "uploads.form_mera",
    _("a MERA submission, taken from `data.test` (one JSON document)"),
)
FORM_HARNESS_LINES = Text(
    "uploads.form_harness_lines",
    _("a sample log of lm-evaluation-harness, taken from `resps` (one record per line)"),
)
FORM_HARNESS_ARRAY = Text(
    "uploads.form_harness_array",
    _("a sample log of lm-evaluation-harness, taken from `resps` (one JSON array)"),
)
FORM_RECORDS_LINES = Text(
    "uploads.form_records_lines",
    _("records with a task_id and `outputs`, `completion` or `code` (one record per line)"),
)
FORM_RECORDS_ARRAY = Text(
    "uploads.form_records_array",
    _("records with a task_id and `outputs`, `completion` or `code` (one JSON array)"),
)
FORM_TRANSCRIPTS_LINES = Text(
    "uploads.form_transcripts_lines",
    _("transcripts of conversations, a task_id and `messages` for each (one record per line)"),
)
FORM_TRANSCRIPTS_ARRAY = Text(
    "uploads.form_transcripts_array",
    _("transcripts of conversations, a task_id and `messages` for each (one JSON array)"),
)
FORM_FILES = Text("uploads.form_files", _("a file for each prediction"))
NO_PREDICTION = Text(
    "uploads.no_prediction",
    _(
        "This file's name does not end in a task's id and the file extension of the "
        "benchmark's language, so it is not a prediction. Rename it, or leave it out."
    ),
)
UNKNOWN_FORMAT = Text(
    "uploads.unknown_format",
    _(
        "The format is unknown. Known formats are a MERA submission (data.test with `outputs` "
        "and `meta.id`), a sample log of lm-evaluation-harness (`doc` and `resps`), and "
        "records with `task_id` and `outputs`, `completion` or `code`, one per line or in one "
        "JSON array."
    ),
)
UNKNOWN_FORMAT_AT = Text(
    "uploads.unknown_format_at",
    _(
        "The format is unknown. Known formats are a MERA submission (data.test with `outputs` "
        "and `meta.id`), a sample log of lm-evaluation-harness (`doc` and `resps`), and "
        "records with `task_id` and `outputs`, `completion` or `code`, one per line or in one "
        "JSON array. Line %(line)s: %(sentence)s"
    ),
)
TRANSCRIPT_HERE = Text(
    "uploads.transcript_here",
    _(
        "This is a transcript of conversations (`messages`). Transcripts belong to a dynamic "
        "setting: choose that setting, or upload the generations as `completion` or `outputs`."
    ),
)
TRANSCRIPTS_WANTED = Text(
    "uploads.transcripts_wanted",
    _(
        "This setting takes transcripts of conversations: records with a `task_id` and "
        "`messages`, one per line or in one JSON array. Upload the transcripts as the run "
        "wrote them, or choose the setting that the file was made for."
    ),
)

# Transcripts.
NO_MESSAGES = Text(
    "uploads.no_messages",
    _("The record has no `messages`. Add the conversation about the task, or leave the task out."),
)
NO_CONVERSATION = Text(
    "uploads.no_conversation",
    _(
        "`messages` is not a conversation: %(fault)s. Upload the transcript as the run wrote "
        "it, made with this revision's tasks and with its wording of the feedback or ours; or "
        "leave the task out."
    ),
)
MISFIT = Text(
    "uploads.misfit",
    _(
        "%(sentence)s Upload the transcript as the run wrote it, made with this revision's "
        "tasks and with its wording of the feedback or ours; or leave the task out."
    ),
)
TURN_LONG = Text(
    "uploads.turn_long",
    _(
        "Turn %(turn)s is longer than %(most)s characters. Leave the task out, or limit the "
        "model's tokens and hold the conversation again."
    ),
)
TURN_SURROGATE = Text(
    "uploads.turn_surrogate",
    _(
        "Turn %(turn)s contains half of a surrogate pair, which is not a character. Remove or "
        "replace it."
    ),
)

# Records.
HEADER_UNFIT = Text(
    "uploads.header_unfit",
    _(
        "`%(name)s` in the first record cannot be stored. Leave the record out, or use an "
        "object of at most 64 KiB."
    ),
)
RECORD_LONG = Text(
    "uploads.record_long",
    _("The record is longer than %(size)s. Shorten it or split it."),
)
RECORD_NO_OBJECT = Text(
    "uploads.record_no_object",
    _("The record is %(kind)s where it should be an object."),
)
NO_ID = Text(
    "uploads.no_id",
    _("The record has no `%(field)s`. Add the id of the task it answers."),
)
OUTPUTS_AND_COMPLETION = Text(
    "uploads.outputs_and_completion",
    _("The record has both `outputs` and `completion`. Keep only one of them."),
)
NO_GENERATION = Text(
    "uploads.no_generation",
    _("The record has no generation. Put one under `completion`, or several under `outputs`."),
)
NO_OUTPUTS = Text(
    "uploads.no_outputs",
    _("The record has no `outputs`. Add the generations, or leave the task out."),
)
NO_DOC = Text(
    "uploads.no_doc",
    _(
        "The record has no `doc`, so it is not a line of a harness log. Remove the line, or log "
        "the samples again."
    ),
)
NO_RESPS = Text(
    "uploads.no_resps",
    _(
        "The record has no `resps`. `filtered_resps` is never used, since it may contain "
        "results instead of code: log the samples with their raw responses."
    ),
)
RESPS_NO_LISTS = Text(
    "uploads.resps_no_lists",
    _("`resps` should be a list of lists of strings, as the harness logs it."),
)
FIELD_LIST = Text(
    "uploads.field_list",
    _("`%(field)s` is a list. Put several generations under `outputs`."),
)
FIELD_NO_STRING = Text(
    "uploads.field_no_string",
    _("`%(field)s` is %(kind)s where it should be a string."),
)
FIELD_NO_STRINGS = Text(
    "uploads.field_no_strings",
    _("`%(field)s` is %(kind)s where it should be a string or a list of strings."),
)
FIELD_NO_REQUIREMENT = Text(
    "uploads.field_no_requirement",
    _("`%(field)s` is %(kind)s where it should be the requirement's name."),
)
FIELD_EMPTY = Text(
    "uploads.field_empty",
    _("`%(field)s` is empty. Add a generation, or leave the task out."),
)
GENERATION_NO_STRING = Text(
    "uploads.generation_no_string",
    _("Generation %(number)s is %(kind)s where it should be a string."),
)
GENERATION_LONG = Text(
    "uploads.generation_long",
    _("Generation %(number)s is longer than %(most)s characters. Shorten it, or leave it out."),
)
GENERATION_SURROGATE = Text(
    "uploads.generation_surrogate",
    _(
        "Generation %(number)s contains half of a surrogate pair, which is not a character. "
        "Remove or replace it."
    ),
)
ID_KIND = Text(
    "uploads.id_kind",
    _("The task id is %(kind)s where it should be a whole number or a string."),
)
NO_SUCH_TASK = Text(
    "uploads.no_such_task",
    _(
        "This benchmark has no such task. Correct the id, or check that the file belongs to this "
        "benchmark and revision."
    ),
)
KIND_BOOLEAN = Text("uploads.kind_boolean", _("a boolean"))
KIND_NUMBER = Text("uploads.kind_number", _("a number"))
KIND_STRING = Text("uploads.kind_string", _("a string"))
KIND_LIST = Text("uploads.kind_list", _("a list"))
KIND_OBJECT = Text("uploads.kind_object", _("an object"))

# Slots.
MANY_GENERATIONS = Text(
    "uploads.many_generations",
    _("There are more than %(most)s generations for one task or requirement. Leave some out."),
)
NO_SLOTS = Text(
    "uploads.no_slots",
    _("The task takes no generations in this setting. Leave it out."),
)
REQUIREMENT_MISSING = Text(
    "uploads.requirement_missing",
    _(
        "The record names no requirement, but this setting judges each requirement separately. "
        "Add a `requirement` field with one of %(names)s, or choose the setting that takes "
        "generations without requirements."
    ),
)
REQUIREMENT_SUPERFLUOUS = Text(
    "uploads.requirement_superfluous",
    _(
        "The record has the requirement %(requirement)s, but in this setting the task takes "
        "generations without a requirement. Leave the field out, or choose the setting that "
        "the file was made for."
    ),
)
REQUIREMENT_UNKNOWN = Text(
    "uploads.requirement_unknown",
    _(
        "The task has no requirement %(requirement)s in this setting. It has %(names)s: name one "
        "of these, or leave the record out."
    ),
)
NAMES_AND = Text("uploads.names_and", _("%(first)s and %(last)s"))
OTHER_FORM_OF_TASK = Text(
    "uploads.other_form_of_task",
    _(
        "Line %(line)s gives generations of this task in the other form. Use either one list of "
        "`outputs` or one record per generation."
    ),
)
OTHER_FORM_OF_REQUIREMENT = Text(
    "uploads.other_form_of_requirement",
    _(
        "Line %(line)s gives generations of this task and requirement in the other form. Use "
        "either one list of `outputs` or one record per generation."
    ),
)
REPEATED_TASK = Text(
    "uploads.repeated_task",
    _("Line %(line)s already has the generations of this task. %(advice)s"),
)
REPEATED_REQUIREMENT = Text(
    "uploads.repeated_requirement",
    _("Line %(line)s already has the generations of this task and requirement. %(advice)s"),
)
ADVICE_ONE_LIST = Text("uploads.advice_one_list", _("Put all generations of a task into one list."))
ADVICE_ONE_FILTER = Text(
    "uploads.advice_one_filter",
    _("Keep one line per document. If the log has several filters, keep the lines of only one."),
)
ADVICE_ONE_CONVERSATION = Text(
    "uploads.advice_one_conversation",
    _("A conversation is held once for each task."),
)
OTHER_TYPE_OF_TASK = Text(
    "uploads.other_type_of_task",
    _(
        "The `type` differs from line %(line)s of the same task, so these are not samples of one "
        "generation. Check that the file belongs to this setting."
    ),
)
OTHER_TYPE_OF_REQUIREMENT = Text(
    "uploads.other_type_of_requirement",
    _(
        "The `type` differs from line %(line)s of the same task and requirement, so these are not "
        "samples of one generation. Check that the file belongs to this setting."
    ),
)

# Warnings.
TASKS_WITHOUT_TRANSCRIPT = Text(
    "uploads.tasks_without_transcript",
    _(
        "%(missing)s of %(tasks)s tasks have no transcript: they will count as conversations "
        "in which no test passed."
    ),
)
TASKS_WITHOUT_GENERATION = Text(
    "uploads.tasks_without_generation",
    _("%(missing)s of %(tasks)s tasks have no generation: they will count as %(samples)s."),
)
REQUIREMENTS_WITHOUT_GENERATION = Text(
    "uploads.requirements_without_generation",
    _(
        "%(missing)s requirements have no generation in tasks that have others: they will count as "
        "%(samples)s."
    ),
)
K_LIMITED = Text(
    "uploads.k_limited",
    _("Tasks have between %(low)s and %(high)s generations: k is limited to %(limit)s."),
)
EMPTY_GENERATIONS = Text(
    "uploads.empty_generations",
    _(
        "%(empty)s of %(generations)s generations are empty and cannot pass. Check that the file "
        "contains the model's answers."
    ),
)
ONE_WRONG_SAMPLE = Text("uploads.one_wrong_sample", _("1 wrong sample"))
WRONG_SAMPLES = Text("uploads.wrong_samples", _("%(number)s wrong samples"))
