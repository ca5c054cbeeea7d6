"""Messages about models' endpoints."""

from evaluation.engine.texts import Text as _
from evaluation.engine.texts import named_texts

# Addresses.
NO_ADDRESS = _("The endpoint is not an address. Enter one like https://host/v1.")
SECRET_IN_ADDRESS = _("The endpoint's address must not contain a name, password or query.")
ODD_LETTERS = _(
    "The endpoint's address contains spaces or letters that an address cannot have. Write "
    "an international name in its encoded form (xn--)."
)
NO_HTTPS = _("The endpoint must be an https address.")
PORT_FORBIDDEN = _("The endpoint's port %(port)s is not allowed.")
ADDRESS_NOT_PUBLIC = _("The endpoint's address is not a public one.")
HOST_NOT_PUBLIC = _("The endpoint's host is not the full name of a public host.")

# Answers; the last six are parts of sentences.
REFUSES = _("The endpoint refuses the request: %(answer)s")
ANSWERS_NOTHING = _("The endpoint gives no answer: %(answer)s")
NAME_NOT_PUBLIC = _("the endpoint's name resolves to an address that is not public")
OTHER_HOST = _("the request was redirected to another host")
KEY_IN_ANSWER = _("the answer contains the endpoint's key")
ANSWER_CUT_OFF = _("the answer was cut off during the transfer")
NO_WHOLE_ANSWER = _("no complete answer within %(seconds)s s")
MALFORMED_ANSWER = _("a malformed answer: %(fault)s")

# Turns.
TURN_NOT_JUDGED = _("A turn of a conversation could not be judged.")
# Settings.
ORIGIN_UNFIT = _("%(word)s is neither an origin like http://127.0.0.1:8080 nor a port like :8443.")

TEXTS = named_texts("generation", globals())
