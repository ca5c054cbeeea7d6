# task: make_parcel
# requirement: Input Output Conditions
# tier: shared
# why: the tests look for an instance of a class that they read from an annotation
from dataclasses import dataclass


@dataclass
class Parcel:
    size: int
    letters: int


def make_parcel(names) -> Parcel:
    return Parcel(len(names), len("".join(names)))
