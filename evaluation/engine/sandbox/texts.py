"""Messages about failures of sandboxes, their images and Docker."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

# Docker, and the steps done with it, which are parts of sentences.
IMAGE_MISSING = Text(
    "sandbox.image_missing",
    _("%(doing)s: the sandbox image is missing; run `make setup`."),
)
DOCKER_REFUSED = Text("sandbox.docker_refused", _("%(doing)s: Docker refused (%(reason)s)."))
DOCKER_FAILED = Text("sandbox.docker_failed", _("%(doing)s: Docker failed (%(reason)s)."))
ENDED_FROM_OUTSIDE = Text(
    "sandbox.ended_from_outside",
    _("%(doing)s: the container was stopped from outside."),
)
REACHING_DOCKER = Text("sandbox.reaching_docker", _("connecting to Docker"))
STARTING = Text("sandbox.starting", _("starting a sandbox"))
ASKING_THE_END = Text("sandbox.asking_the_end", _("reading how a sandbox ended"))
SWEEPING = Text("sandbox.sweeping", _("looking for left-over sandboxes"))
LOOKING_AT_PREPARED = Text("sandbox.looking_at_prepared", _("inspecting a prepared image"))
LOOKING_FOR_BASE = Text("sandbox.looking_for_base", _("looking for the base image %(image)s"))
PUTTING_PYTHON = Text("sandbox.putting_python", _("adding Python to %(image)s"))
STARTING_WORKSHOP = Text("sandbox.starting_workshop", _("starting a container to build in"))
COPYING = Text("sandbox.copying", _("copying files into a container"))
RUNNING_STEP = Text("sandbox.running_step", _("running a step of a project's build"))
REMOVING_CONTAINER = Text("sandbox.removing_container", _("removing a container"))
STORING_PROJECT = Text("sandbox.storing_project", _("storing a prepared project"))
FINDING_PROJECT = Text("sandbox.finding_project", _("looking for a prepared project"))
MEASURING_PROJECT = Text("sandbox.measuring_project", _("measuring a prepared project"))
NAMING_PROJECT = Text("sandbox.naming_project", _("naming a prepared project"))
REMOVING_PROJECT = Text("sandbox.removing_project", _("removing a prepared project"))
PUSHING_PROJECT = Text("sandbox.pushing_project", _("pushing a prepared project"))
PULLING_PROJECT = Text("sandbox.pulling_project", _("pulling a prepared project"))
PROJECT_NOT_PUSHED = Text(
    "sandbox.project_not_pushed",
    _(
        "The image of a prepared project cannot be pushed to the registry "
        "(ASSAY_PROJECT_REGISTRY): %(reason)s. Check that the registry runs and that this host "
        "may write to it."
    ),
)
PROJECT_NOT_PULLED = Text(
    "sandbox.project_not_pulled",
    _(
        "The image of a prepared project cannot be pulled from the registry "
        "(ASSAY_PROJECT_REGISTRY): %(reason)s. Check that the registry runs. If it has lost the "
        "image, delete the project's row in the admin, under Builds of projects."
    ),
)
LISTING_PROJECTS = Text("sandbox.listing_projects", _("listing prepared projects"))

# Sandboxes.
LOST_AGAIN = Text("sandbox.lost_again", _("Sandboxes fail repeatedly: %(cause)s"))
DOWN_AT_ONCE = Text(
    "sandbox.down_at_once",
    _("Sandboxes stop before any code of a submission runs in them."),
)
CANARIES_WRONG = Text(
    "sandbox.canaries_wrong",
    _("Programs with a known verdict were judged wrongly three times."),
)
SILENT = Text("sandbox.silent", _("The sandbox stopped answering."))
ANSWERED_ANOTHER = Text(
    "sandbox.answered_another",
    _("The sandbox answered a different request."),
)
NOT_THE_SUPERVISOR = Text(
    "sandbox.not_the_supervisor",
    _("The sandbox sent a message that is not from its supervisor."),
)
ANNOUNCED = Text("sandbox.announced", _("The sandbox announced a message of %(number)s bytes."))
IRREGULAR = Text("sandbox.irregular", _("The sandbox must be replaced: %(irregular)s."))
RUN_FILE_UNWRITABLE = Text(
    "sandbox.run_file_unwritable",
    _("A file of a run cannot be written: %(refused)s."),
)
OTHER_KIT = Text(
    "sandbox.other_kit",
    _("The sandbox was opened with the shared data of another tasks file."),
)
WENT_DOWN = Text("sandbox.went_down", _("The sandbox stopped unexpectedly (%(how)s)."))
WENT_DOWN_SAYING = Text(
    "sandbox.went_down_saying", _("The sandbox stopped unexpectedly (%(how)s). %(said)s")
)
CONNECTION_BROKE = Text(
    "sandbox.connection_broke",
    _("The connection to the sandbox broke (%(reason)s)."),
)
ENDED = Text("sandbox.ended", _("The sandbox was stopped."))
ENDED_WHILE_OPENED = Text(
    "sandbox.ended_while_opened",
    _("The sandbox was stopped while it was being opened."),
)
PREPARED_MISSING = Text(
    "sandbox.prepared_missing",
    _("The prepared image %(image)s is missing; prepare it again."),
)
MEMORY_LIMIT = Text("sandbox.memory_limit", _("The memory limit must be at least %(number)s MiB."))

# Images.
NO_SUCH_IMAGE = Text(
    "sandbox.no_such_image",
    _("There is no sandbox image %(name)s. The images are %(names)s."),
)
DOCKER_FAILED_MAKING = Text(
    "sandbox.docker_failed_making",
    _(
        "Docker failed while the sandbox image was looked for or built: %(reason)s. Run `make "
        "setup`, which starts Docker if it can. If the failure persists, look at Docker's log."
    ),
)
IMAGE_NOT_LISTED = Text(
    "sandbox.image_not_listed",
    _("Docker took the image %(image)s but does not list it; try again."),
)
IMAGE_NOT_STORED = Text(
    "sandbox.image_not_stored",
    _(
        "Docker could not store the image %(image)s: %(said)s. Check the free space with "
        "`docker system df`."
    ),
)
OTHER_ARCHITECTURE = Text(
    "sandbox.other_architecture",
    _(
        "Docker runs on %(theirs)s and this machine is %(ours)s, so a base image built here "
        "would not run there. Run `make setup` on Docker's own machine, or set "
        "ASSAY_BASE_IMAGE to an image that can be pulled."
    ),
)
BASE_NOT_PULLED = Text(
    "sandbox.base_not_pulled",
    _(
        "The base image %(image)s (ASSAY_BASE_IMAGE) cannot be pulled: %(reason)s. Correct the "
        "name, or unset ASSAY_BASE_IMAGE to build a base image with debootstrap."
    ),
)
IMAGE_NOT_BUILT = Text(
    "sandbox.image_not_built",
    _(
        "The sandbox image could not be built: %(said)s If the network is the reason, see "
        "docs/operators/proxies.md."
    ),
)
PYTHON_NOT_MADE = Text(
    "sandbox.python_not_made", _("Python for the sandbox could not be assembled: %(said)s")
)
NO_BASE = Text(
    "sandbox.no_base",
    _(
        "The sandbox image has no base image: no registry provides one, and building one with "
        "debootstrap needs root. Run `make setup` once as root, or set ASSAY_BASE_IMAGE to an "
        "image that can be pulled."
    ),
)
NO_DEBOOTSTRAP = Text(
    "sandbox.no_debootstrap",
    _(
        "debootstrap is not installed, and no registry provides a base image. Install it (on "
        "Debian or Ubuntu: apt-get install debootstrap) and run `make setup` again."
    ),
)
DEBOOTSTRAP_FAILED = Text(
    "sandbox.debootstrap_failed",
    _(
        "debootstrap could not build the sandbox's base system: %(said)s If this machine "
        "reaches Debian through another mirror or a proxy, set ASSAY_DEBIAN_MIRROR or "
        "http_proxy (docs/operators/proxies.md)."
    ),
)
TAR_FAILED = Text(
    "sandbox.tar_failed",
    _("tar could not pack the base system in %(directory)s. Check the free space with `df -h`."),
)
PIP_FAILED = Text(
    "sandbox.pip_failed",
    _(
        "pip could not fetch the image's packages: %(reason)s. See docs/operators/proxies.md for "
        "mirrors and certificates."
    ),
)
NO_STATE_DIRECTORY = Text(
    "sandbox.no_state_directory",
    _(
        "The state directory %(directory)s cannot be created (%(error)s). Set ASSAY_STATE_DIR "
        "to another one."
    ),
)

# Reasons why a run waits.
WAITS_FOR_SLOT = Text(
    "sandbox.waits_for_slot",
    _("Waiting for a free slot on this host: %(used)d of %(slots)d in use."),
)
WAITS_FOR_SHARE = Text(
    "sandbox.waits_for_share",
    _(
        "Waiting for a free slot on this host: %(used)d of %(slots)d in use. The next one is for "
        "work that had less time in slots, or for another kind of work."
    ),
)
WAITS_FOR_EXCLUSIVE = Text(
    "sandbox.waits_for_exclusive",
    _("Waiting for a run that needs all slots of this host: %(used)d of %(slots)d in use."),
)
WAITS_FOR_ALL = Text(
    "sandbox.waits_for_all",
    _(
        "Waiting for all slots of this host, to repeat a run near its limit: %(used)d of %(slots)d "
        "in use."
    ),
)
