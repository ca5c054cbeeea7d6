"""Messages about failures of sandboxes, their images and Docker."""

from evaluation.engine.texts import Text as _
from evaluation.engine.texts import named_texts

# Docker, and the steps done with it, which are parts of sentences.
IMAGE_MISSING = _("%(doing)s: the sandbox image is missing; run `make setup`.")
DOCKER_REFUSED = _("%(doing)s: Docker refused (%(reason)s).")
DOCKER_FAILED = _("%(doing)s: Docker failed (%(reason)s).")
ENDED_FROM_OUTSIDE = _("%(doing)s: the container was stopped from outside.")
REACHING_DOCKER = _("connecting to Docker")
STARTING = _("starting a sandbox")
ASKING_THE_END = _("reading how a sandbox ended")
SWEEPING = _("looking for left-over sandboxes")
LOOKING_AT_PREPARED = _("inspecting a prepared image")
LOOKING_FOR_BASE = _("looking for the base image %(image)s")
PUTTING_PYTHON = _("adding Python to %(image)s")
STARTING_WORKSHOP = _("starting a container to build in")
COPYING = _("copying files into a container")
RUNNING_STEP = _("running a step of a project's build")
REMOVING_CONTAINER = _("removing a container")
STORING_PROJECT = _("storing a prepared project")
FINDING_PROJECT = _("looking for a prepared project")
MEASURING_PROJECT = _("measuring a prepared project")
NAMING_PROJECT = _("naming a prepared project")
REMOVING_PROJECT = _("removing a prepared project")
PUSHING_PROJECT = _("pushing a prepared project")
PULLING_PROJECT = _("pulling a prepared project")
PROJECT_NOT_PUSHED = _(
    "The image of a prepared project cannot be pushed to the registry "
    "(ASSAY_PROJECT_REGISTRY): %(reason)s. Check that the registry runs and that this host "
    "may write to it."
)
PROJECT_NOT_PULLED = _(
    "The image of a prepared project cannot be pulled from the registry "
    "(ASSAY_PROJECT_REGISTRY): %(reason)s. Check that the registry runs. If it has lost the "
    "image, delete the project's row in the admin, under Builds of projects."
)
LISTING_PROJECTS = _("listing prepared projects")

# Sandboxes.
LOST_AGAIN = _("Sandboxes fail repeatedly: %(cause)s")
DOWN_AT_ONCE = _("Sandboxes stop before any code of a submission runs in them.")
CANARIES_WRONG = _("Programs with a known verdict were judged wrongly three times.")
NOT_MEASURED = _("The names that generations use were not found in three attempts.")
SILENT = _("The sandbox stopped answering.")
ANSWERED_ANOTHER = _("The sandbox answered a different request.")
NOT_THE_SUPERVISOR = _("The sandbox sent a message that is not from its supervisor.")
ANNOUNCED = _("The sandbox announced a message of %(number)s bytes.")
IRREGULAR = _("The sandbox must be replaced: %(irregular)s.")
RUN_FILE_UNWRITABLE = _("A file of a run cannot be written: %(refused)s.")
OTHER_KIT = _("The sandbox was opened with the shared data of another tasks file.")
WENT_DOWN = _("The sandbox stopped unexpectedly (%(how)s).")
WENT_DOWN_SAYING = _("The sandbox stopped unexpectedly (%(how)s). %(said)s")
CONNECTION_BROKE = _("The connection to the sandbox broke (%(reason)s).")
ENDED = _("The sandbox was stopped.")
ENDED_WHILE_OPENED = _("The sandbox was stopped while it was being opened.")
PREPARED_MISSING = _("The prepared image %(image)s is missing; prepare it again.")
MEMORY_LIMIT = _("The memory limit must be at least %(number)s MiB.")

# Images.
NO_SUCH_IMAGE = _("There is no sandbox image %(name)s. The images are %(names)s.")
DOCKER_FAILED_MAKING = _(
    "Docker failed while the sandbox image was looked for or built: %(reason)s. Run `make "
    "setup`, which starts Docker if it can. If the failure persists, look at Docker's log."
)
IMAGE_NOT_LISTED = _("Docker took the image %(image)s but does not list it; try again.")
IMAGE_NOT_STORED = _(
    "Docker could not store the image %(image)s: %(said)s. Check the free space with "
    "`docker system df`."
)
OTHER_ARCHITECTURE = _(
    "Docker runs on %(theirs)s and this machine is %(ours)s, so a base image built here "
    "would not run there. Run `make setup` on Docker's own machine, or set "
    "ASSAY_BASE_IMAGE to an image that can be pulled."
)
BASE_NOT_PULLED = _(
    "The base image %(image)s (ASSAY_BASE_IMAGE) cannot be pulled: %(reason)s. Correct the "
    "name, or unset ASSAY_BASE_IMAGE to build a base image with debootstrap."
)
IMAGE_NOT_BUILT = _(
    "The sandbox image could not be built: %(said)s If the network is the reason, see "
    "docs/operators/proxies.md."
)
PYTHON_NOT_MADE = _("Python for the sandbox could not be assembled: %(said)s")
NO_BASE = _(
    "The sandbox image has no base image: no registry provides one, and building one with "
    "debootstrap needs root. Run `make setup` once as root, or set ASSAY_BASE_IMAGE to an "
    "image that can be pulled."
)
NO_DEBOOTSTRAP = _(
    "debootstrap is not installed, and no registry provides a base image. Install it (on "
    "Debian or Ubuntu: apt-get install debootstrap) and run `make setup` again."
)
DEBOOTSTRAP_FAILED = _(
    "debootstrap could not build the sandbox's base system: %(said)s If this machine "
    "reaches Debian through another mirror or a proxy, set ASSAY_DEBIAN_MIRROR or "
    "http_proxy (docs/operators/proxies.md)."
)
TAR_FAILED = _(
    "tar could not pack the base system in %(directory)s. Check the free space with `df -h`."
)
PIP_FAILED = _(
    "pip could not fetch the image's packages: %(reason)s. See docs/operators/proxies.md for "
    "mirrors and certificates."
)
NO_STATE_DIRECTORY = _(
    "The state directory %(directory)s cannot be created (%(error)s). Set ASSAY_STATE_DIR "
    "to another one."
)

# Reasons why a run waits.
WAITS_FOR_SLOT = _("Waiting for a free slot on this host: %(used)d of %(slots)d in use.")
WAITS_FOR_SHARE = _(
    "Waiting for a free slot on this host: %(used)d of %(slots)d in use. The next one is for "
    "work that had less time in slots, or for another kind of work."
)
WAITS_FOR_EXCLUSIVE = _(
    "Waiting for a run that needs all slots of this host: %(used)d of %(slots)d in use."
)
WAITS_FOR_ALL = _(
    "Waiting for all slots of this host, to repeat a run near its limit: %(used)d of %(slots)d "
    "in use."
)

TEXTS = named_texts("sandbox", globals())
