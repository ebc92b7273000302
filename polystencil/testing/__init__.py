"""Property-based tests of legality: strategies that generate loop nests, and oracles that enumerate them.

For tool builders: generate a nest, ask a proof, and compare its verdict with brute force.
"""

from polystencil.testing.enumeration import Instance, enumerate_accesses, meeting_pair
from polystencil.testing.nests import Nest, nests

__all__ = ["Instance", "Nest", "enumerate_accesses", "meeting_pair", "nests"]
