from django.apps import AppConfig
from django.core.checks import register


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation.checks import endpoint_settings, project_settings

        register(project_settings)
        register(endpoint_settings)
