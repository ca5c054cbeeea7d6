"""The sentences about transcripts of conversations."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

# Departures of a turn from the rules.
NOT_THE_PROMPT = Text(
    "conversations.not_the_prompt",
    _("Turn %(turn)s is not exactly the task's prompt."),
)
UNKNOWN_MESSAGE = Text(
    "conversations.unknown_message",
    _("Turn %(turn)s is not one of the task's messages."),
)
OTHER_INSTRUCTION = Text(
    "conversations.other_instruction",
    _("Turn %(turn)s asks for %(found)s, but by our verdicts %(due)s is next."),
)
RETRY_MISSING = Text(
    "conversations.retry_missing",
    _("Turn %(turn)s does not say that %(due)s was not followed, but our verdicts do."),
)
RETRY_SUPERFLUOUS = Text(
    "conversations.retry_superfluous",
    _(
        "Turn %(turn)s gives feedback on %(found)s, but by our verdicts %(due)s is next, "
        "without feedback."
    ),
)
LONG_ERROR = Text(
    "conversations.long_error",
    _("Turn %(turn)s gives feedback on %(found)s with an error text that is too long."),
)
AFTER_END = Text("conversations.after_end", _("Turn %(turn)s comes after the conversation's end."))
CUT_SHORT = Text(
    "conversations.cut_short",
    _("Turn %(turn)s is missing: by our verdicts, %(due)s is next."),
)

# Reasons why messages are not a transcript; parts of sentences.
NO_TURNS = Text("conversations.no_turns", _("messages must be a list with at least one turn"))
NO_ANSWER = Text("conversations.no_answer", _("turn %(turn)s of the transcript has no answer"))
NO_OBJECT = Text(
    "conversations.no_object",
    _("turn %(turn)s of the transcript has a message that is not a JSON object"),
)
NO_USER = Text(
    "conversations.no_user",
    _("turn %(turn)s of the transcript must have a message of the user here"),
)
NO_ASSISTANT = Text(
    "conversations.no_assistant",
    _("turn %(turn)s of the transcript must have a message of the assistant here"),
)
NO_CONTENT = Text(
    "conversations.no_content",
    _("turn %(turn)s of the transcript has a message whose content is not text"),
)
