"""A limit on the work of one query, so that no proof hangs a compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import islpy as isl

T = TypeVar("T")
OPERATIONS = 2_000_000  # about half a second


class BudgetExceeded(Exception):
    """isl gave up: the operation budget ran out."""


def within_budget(query: Callable[[], T], operations: int = OPERATIONS) -> T:
    """The answer of `query`, or BudgetExceeded."""
    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        return query()
    except isl.Error as error:
        if "maximal number of operations" not in str(error):
            raise
        raise BudgetExceeded(str(error)) from None
    finally:
        context.set_max_operations(0)
        context.reset_operations()
