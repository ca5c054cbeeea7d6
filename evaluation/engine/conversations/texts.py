"""The sentences about transcripts of conversations."""

from evaluation.engine.texts import Text as _
from evaluation.engine.texts import named_texts

# Departures of a turn from the rules.
NOT_THE_PROMPT = _("Turn %(turn)s is not exactly the task's prompt.")
UNKNOWN_MESSAGE = _("Turn %(turn)s is not one of the task's messages.")
OTHER_INSTRUCTION = _("Turn %(turn)s asks for %(found)s, but by our verdicts %(due)s is next.")
RETRY_MISSING = _("Turn %(turn)s does not say that %(due)s was not followed, but our verdicts do.")
RETRY_SUPERFLUOUS = _(
    "Turn %(turn)s gives feedback on %(found)s, but by our verdicts %(due)s is next, "
    "without feedback."
)
LONG_ERROR = _("Turn %(turn)s gives feedback on %(found)s with an error text that is too long.")
AFTER_END = _("Turn %(turn)s comes after the conversation's end.")
CUT_SHORT = _("Turn %(turn)s is missing: by our verdicts, %(due)s is next.")

# Reasons why messages are not a transcript; parts of sentences.
NO_TURNS = _("messages must be a list with at least one turn")
NO_ANSWER = _("turn %(turn)s of the transcript has no answer")
NO_OBJECT = _("turn %(turn)s of the transcript has a message that is not a JSON object")
NO_USER = _("turn %(turn)s of the transcript must have a message of the user here")
NO_ASSISTANT = _("turn %(turn)s of the transcript must have a message of the assistant here")
NO_CONTENT = _("turn %(turn)s of the transcript has a message whose content is not text")

TEXTS = named_texts("conversations", globals())
