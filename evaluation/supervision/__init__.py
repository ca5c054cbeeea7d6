"""The processes of an installation: kept running, stopped together, nothing left behind. Linux
only: it relies on subreapers."""

from evaluation.supervision.supervisor import Program, Supervisor

__all__ = ["Program", "Supervisor"]
