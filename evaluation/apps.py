from django.apps import AppConfig
from django.core.checks import register


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation.checks import project_settings

        register(project_settings)
