"""Property-based tests of legality: strategies that generate loop nests, and oracles that enumerate them.

For tool builders: generate a nest, ask a proof, and compare its verdict with brute force.
"""

from polystencil.testing.enumeration import Instance, enumerate_accesses, evaluate, meeting_pair
from polystencil.testing.nests import Nest, nests, random_nest
from polystencil.testing.verdicts import Tally, compare_with_enumeration
from polystencil.testing.views import NotEnumerable

__all__ = [
    "Instance", "Nest", "NotEnumerable", "Tally", "compare_with_enumeration", "enumerate_accesses", "evaluate",
    "meeting_pair", "nests", "random_nest",
]  # fmt: skip
