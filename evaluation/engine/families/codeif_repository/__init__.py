"""CodeIF-Bench, L-1 part 2, L-2, L-3: functions of real projects, verifiable instructions."""

from evaluation.engine import instructions
from evaluation.engine.conversations import matrices
from evaluation.engine.conversations.scripts import with_instructions
from evaluation.engine.conversations.transcripts import transcripts
from evaluation.engine.families.codeif_repository import dataset, judging
from evaluation.engine.family import COMPILED, ByExecution, Clusters, Family, InProjects, Sampling
from evaluation.engine.projects import recall, suite
from evaluation.engine.texts import gettext_noop as _

FAMILY = Family(
    slug="codeif_repository",
    title="CodeIF-Bench, repositories",
    flags={"unsound_requirement": _("this instruction's test cannot be used for judging")},
    settings=(*instructions.SETTINGS, instructions.DYNAMIC),
    load_tasks=dataset.load_tasks,
    slots=instructions.slots,
    results=lambda tasks, setting, verdicts: [
        *matrices.results(tasks, setting, verdicts),
        *recall.results(tasks, instructions.places(tasks, setting), verdicts),
    ],
    judged=ByExecution(
        image="repository",
        limits=judging.LIMITS,
        canaries=(),
        plan=judging.plan,
        proceed=judging.SUITE.proceed,
        judge=judging.SUITE.judge,
        program=judging.SUITE.program,
        plain=COMPILED,
        runners=(suite.RUNNER,),
        near=suite.near,
        measure=recall.measure(judging.SUITE),
        projects=InProjects(
            project=dataset.project,
            unfit=judging.unfit,
            references=judging.REFERENCES,
            canaries=judging.canaries,
        ),
        batch_seconds=judging.BATCH_SECONDS,
        test_sets=instructions.test_sets,
        extracted=lambda _task, generation, setting: judging.extracted(generation, setting),
        rule=_(
            "The code is the first block that opens with ```python, or else the whole answer. In a "
            "dynamic conversation, blank lines are left out."
        ),
    ),
    ks=(1, 5, 10),
    metrics=(*matrices.METRICS, *recall.METRICS),
    begins={instructions.MULTI_TURN: instructions.BASE},
    folders=instructions.FOLDERS,
    slices=("level", "category", "turn", "domain"),
    asking=with_instructions(
        Sampling(temperature=0.0, top_p=1.0),
        judging.LIMITS,
        told=judging.failures,
        questions=lambda tasks_path: dataset.tasks_in(tasks_path, None),
    ),
    transcripts=transcripts(judging.TOLD),
    clusters=Clusters("project", lambda task: str(task.public["project"])),
    code=lambda _task, text: judging.code_in(text),
    solutions=lambda task: [task.hidden["code"]],
)
