"""The sentences about uploads: problems, warnings and names of formats."""

from evaluation.engine.texts import Text as _
from evaluation.engine.texts import named_texts

# Packing.
BROKEN_COMPRESSION = _("The compressed file is broken (%(reason)s). Compress it again.")
BROKEN_ZIP = _("The zip file is broken (%(reason)s). Pack it again.")
UNPACKS_TOO_FAR = _(
    "The file unpacks to more than %(ratio)s times its size. Upload it with less compression."
)
UNPACKS_TOO_LONG = _(
    "The file is longer than %(size)s when unpacked. Split it into several submissions."
)
ZIP_MANY_FILES = _(
    "The zip contains more than %(number)s files. Leave some out, or upload several zips."
)
ZIP_EMPTY = _("The zip contains no file. Pack the predictions into it.")
ZIP_WHICH = _("The zip contains %(number)s files: upload only one, or name one of them.")
ZIP_WHICH_NAMED = _(
    "The zip contains %(number)s files: upload only one, or name the file of this "
    "benchmark like %(family)s.json."
)
ZIP_SEVERAL_NAMED = _(
    "%(number)s files in the zip are named like %(family)s: keep only one of them."
)
ZIP_ENCRYPTED = _("The file in the zip is encrypted. Pack it without a password.")
ZIP_RARE_COMPRESSION = _(
    "The zip uses a rare kind of compression. Pack it with the usual kind (deflate)."
)
ZIP_LARGE_DIRECTORY = _("its directory is too large")
ZIP_DIRECTORY_OUTSIDE = _("its directory points outside of the file")
PACKED_TWICE = _("The file is packed more than once. Upload a .gz, a .zip or the bare file.")
FOREIGN_PACKER = _(
    "The file is packed with %(packer)s. Unpack it; upload the bare file, or its .gz or .zip."
)
FOREIGN_FORMAT = _("The file is in %(format)s format. Export it as JSON, one record per line.")
HTML = _(
    "The file is a web page (HTML) or XML, such as a sign-in page. Download the predictions again, "
    "or export them as JSON."
)
GIT_LFS = _("The file is a pointer of Git LFS. Run `git lfs pull`, then upload what it brings.")
ENCODED = _("The file is %(encoding)s. Save it as UTF-8.")
MEBIBYTES = _("%(number)s MiB")
BYTES = _("%(number)s bytes")

# Layout.
EMPTY_FILE = _("The file is empty. Upload the file with the predictions.")
NO_GENERATIONS = _(
    "The file contains no generations. Check that the model's answers were written to it."
)
MANY_RECORDS = _("The file has more than %(number)s records. Upload fewer samples of each task.")
TWO_LISTS = _("The document has two lists of records. Keep only one.")
MANY_KEYS = _(
    "The document has more than %(number)s keys besides its list of records. Remove those that "
    "the format does not need."
)
GOES_ON_AFTER_END = _(
    "Something follows after the end of the JSON document. Remove it, or write one record per line."
)
KEY_NO_STRING = _("A key is not a JSON string. Put it in double quotes.")
ENDS_BEFORE = _("The file ends where %(wanted)s is expected.")
UNEXPECTED = _(
    "%(found)s was found where %(wanted)s is expected. Write the file with a JSON library."
)
WANTED_KEY = _("a key in double quotes")
WANTED_VALUE = _("a value")
WANTED_EITHER = _("%(one)s or %(other)s")
CUT_OFF_IN_STRING = _("The file ends inside a string: it was probably cut off.")
CUT_OFF_IN_VALUE = _("The file ends inside a value: it was probably cut off.")
CUT_OFF_IN_BRACKETS = _("The file ends before its last bracket is closed: it was probably cut off.")

# The text of one record.
NOT_UTF8 = _(
    "This is not valid UTF-8: byte %(byte)s at position %(position)s of the record. Save the "
    "file as UTF-8."
)
NOT_JSON = _(
    "This is not valid JSON: %(fault)s at character %(position)s of the record. Write the file "
    "with a JSON library."
)
TOO_DEEP = _(
    "This is nested too deeply to be a record of predictions. Write the generations as strings."
)

# Faults, as worded by Python's json.
JSON_VALUE = _("Expecting value")
JSON_COMMA = _("Expecting ',' delimiter")
JSON_COLON = _("Expecting ':' delimiter")
JSON_PROPERTY = _("Expecting property name enclosed in double quotes")
JSON_EXTRA = _("Extra data")
JSON_CONTROL = _("Invalid control character")
JSON_STRING = _("Unterminated string starting")

# Formats.
FORM = _("%(records)s (%(layout)s)")
FORM_MERA = _("a MERA submission, taken from `data.test`")
FORM_HARNESS = _("a sample log of lm-evaluation-harness, taken from `resps`")
FORM_RECORDS = _("records with a task_id and `outputs`, `completion` or `code`")
FORM_TRANSCRIPTS = _("transcripts of conversations, a task_id and `messages` for each")
LAYOUT_LINES = _("one record per line")
LAYOUT_ARRAY = _("one JSON array")
LAYOUT_DOCUMENT = _("one JSON document")
LAYOUT_LISTED = _("a list in one JSON object")
LAYOUT_KEYED = _("a JSON object with a key for each task")
LAYOUT_VALUES = _("records over several lines")
FORM_FILES = _("a file for each prediction")
NO_PREDICTION = _(
    "This file's name does not end in a task's id and the file extension of the "
    "benchmark's language, so it is not a prediction. Rename it, or leave it out."
)
UNKNOWN_FORMAT = _(
    "The format is unknown. Known formats are a MERA submission (data.test with `outputs` "
    "and `meta.id`), a sample log of lm-evaluation-harness (`doc` and `resps`), and "
    "records with `task_id` and `outputs`, `completion` or `code`, one per line or in one "
    "JSON array."
)
UNKNOWN_FORMAT_AT = _("%(sentence)s Line %(line)s: %(fault)s")
TRANSCRIPT_HERE = _(
    "This is a transcript of conversations (`messages`). Transcripts belong to a dynamic "
    "setting: choose that setting, or upload the generations as `completion` or `outputs`."
)
TRANSCRIPTS_WANTED = _(
    "This setting takes transcripts of conversations: records with a `task_id` and "
    "`messages`, one per line or in one JSON array. Upload the transcripts as the run "
    "wrote them, or choose the setting that the file was made for."
)

# Transcripts.
NO_MESSAGES = _(
    "The record has no `messages`. Add the conversation about the task, or leave the task out."
)
NO_CONVERSATION = _(
    "`messages` is not a conversation: %(fault)s. Upload the transcript as the run wrote "
    "it, made with this revision's tasks and with its wording of the feedback or ours; or "
    "leave the task out."
)
MISFIT = _(
    "%(sentence)s Upload the transcript as the run wrote it, made with this revision's "
    "tasks and with its wording of the feedback or ours; or leave the task out."
)
TURN_LONG = _(
    "Turn %(turn)s is longer than %(most)s characters. Leave the task out, or limit the "
    "model's tokens and hold the conversation again."
)
TURN_SURROGATE = _(
    "Turn %(turn)s contains half of a surrogate pair, which is not a character. Remove or "
    "replace it."
)

# Records.
HEADER_UNFIT = _(
    "`%(name)s` in the first record cannot be stored. Leave the record out, or use an "
    "object of at most 64 KiB."
)
RECORD_LONG = _("The record is longer than %(size)s. Shorten it or split it.")
RECORD_NO_OBJECT = _("The record is %(kind)s where it should be an object.")
NO_ID = _("The record has no `%(field)s`. Add the id of the task it answers.")
KEY_OTHERWISE = _(
    "The record is under the key %(key)s, but its own id is %(id)s. Make them equal, or remove one."
)
OUTPUTS_AND_COMPLETION = _("The record has both `outputs` and `completion`. Keep only one of them.")
NO_GENERATION = _(
    "The record has no generation. Put one under `completion`, or several under `outputs`."
)
KEYS = _("%(sentence)s Its keys are %(keys)s.")
KEY_MEANT = _("%(sentence)s `%(key)s`: rename it to `%(name)s`?")
NO_OUTPUTS = _("The record has no `outputs`. Add the generations, or leave the task out.")
NO_DOC = _(
    "The record has no `doc`, so it is not a line of a harness log. Remove the line, or log "
    "the samples again."
)
NO_RESPS = _(
    "The record has no `resps`. `filtered_resps` is never used, since it may contain "
    "results instead of code: log the samples with their raw responses."
)
RESPS_NO_LISTS = _("`resps` should be a list of lists of strings, as the harness logs it.")
FIELD_LIST = _("`%(field)s` is a list. Put several generations under `outputs`.")
FIELD_NO_STRING = _("`%(field)s` is %(kind)s where it should be a string.")
FIELD_NO_STRINGS = _("`%(field)s` is %(kind)s where it should be a string or a list of strings.")
FIELD_NO_REQUIREMENT = _("`%(field)s` is %(kind)s where it should be the requirement's name.")
FIELD_EMPTY = _("`%(field)s` is empty. Add a generation, or leave the task out.")
GENERATION_NO_STRING = _("Generation %(number)s is %(kind)s where it should be a string.")
GENERATION_LONG = _(
    "Generation %(number)s is longer than %(most)s characters. Shorten it, or leave it out."
)
GENERATION_SURROGATE = _(
    "Generation %(number)s contains half of a surrogate pair, which is not a character. "
    "Remove or replace it."
)
ID_KIND = _("The task id is %(kind)s where it should be a whole number or a string.")
NO_SUCH_TASK = _(
    "This benchmark has no such task. Correct the id, or check that the file belongs to this "
    "benchmark and revision."
)
KIND_BOOLEAN = _("a boolean")
KIND_NUMBER = _("a number")
KIND_STRING = _("a string")
KIND_LIST = _("a list")
KIND_OBJECT = _("an object")

# Slots.
MANY_GENERATIONS = _(
    "There are more than %(most)s generations for one task or requirement. Leave some out."
)
NO_SLOTS = _("The task takes no generations in this setting. Leave it out.")
REQUIREMENT_MISSING = _(
    "The record names no requirement, but this setting judges each requirement separately. "
    "Add a `requirement` field with one of %(names)s, or choose the setting that takes "
    "generations without requirements."
)
REQUIREMENT_SUPERFLUOUS = _(
    "The record has the requirement %(requirement)s, but in this setting the task takes "
    "generations without a requirement. Leave the field out, or choose the setting that "
    "the file was made for."
)
REQUIREMENT_UNKNOWN = _(
    "The task has no requirement %(requirement)s in this setting. It has %(names)s: name one "
    "of these, or leave the record out."
)
NAMES_AND = _("%(first)s and %(last)s")
OTHER_FORM = _(
    "Line %(line)s gives generations of this task in the other form. Use either one list of "
    "`outputs` or one record per generation."
)
REPEATED = _("Line %(line)s already has the generations of this task. %(advice)s")
REPEATED_REQUIREMENT = _(
    "Line %(line)s already has the generations of this task and requirement. %(advice)s"
)
ADVICE_ONE_LIST = _("Put all generations of a task into one list.")
ADVICE_ONE_FILTER = _(
    "Keep one line per document. If the log has several filters, keep the lines of only one."
)
ADVICE_ONE_CONVERSATION = _("A conversation is held once for each task.")
OTHER_TYPE = _(
    "The `type` differs from line %(line)s of the same task, so these are not samples of one "
    "generation. Check that the file belongs to this setting."
)

# Warnings.
DOUBLE_KEY = _(
    "`%(key)s` is twice in record %(number)s (%(first)s; %(second)s): the last one counts."
)
DOUBLE_TASK = _("Task %(task)s is there twice (%(first)s; %(second)s): both count as samples.")
PLACE = _("line %(line)s, character %(position)s of the record")
RECORD = _("record %(number)s, line %(line)s")
FILES_LEFT_OUT = _(
    "Files of the zip that do not end in %(endings)s are left out: %(number)s, the first is "
    "%(first)s."
)
COVERS_FEW = _("The file covers only %(seen)s of %(tasks)s tasks. %(missing)s")
TASKS_WITHOUT_TRANSCRIPT = _(
    "%(missing)s of %(tasks)s tasks have no transcript: they will count as conversations "
    "in which no test passed."
)
TASKS_WITHOUT_GENERATION = _(
    "%(missing)s of %(tasks)s tasks have no generation: they will count as %(samples)s."
)
REQUIREMENTS_WITHOUT_GENERATION = _(
    "%(missing)s requirements have no generation in tasks that have others: they will count as "
    "%(samples)s."
)
K_LIMITED = _("Tasks have between %(low)s and %(high)s generations: k is limited to %(limit)s.")
EMPTY_GENERATIONS = _(
    "%(empty)s of %(generations)s generations are empty and cannot pass. Check that the file "
    "contains the model's answers."
)
ONE_WRONG_SAMPLE = _("1 wrong sample")
WRONG_SAMPLES = _("%(number)s wrong samples")

TEXTS = named_texts("uploads", globals())
