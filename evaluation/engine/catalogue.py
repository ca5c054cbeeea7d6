"""All texts of the engine, by their codes. Imports no client of Docker or of models."""

from evaluation.engine import errors
from evaluation.engine.conversations import texts as conversations
from evaluation.engine.generation import texts as generation
from evaluation.engine.metrics import texts as metrics
from evaluation.engine.preparation import texts as preparation
from evaluation.engine.sandbox import texts as sandbox
from evaluation.engine.uploads import texts as uploads

TEXTS = {
    code: text
    for texts in (conversations, errors, generation, metrics, preparation, sandbox, uploads)
    for code, text in texts.TEXTS.items()
}
