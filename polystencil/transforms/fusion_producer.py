"""From a producer loop to what it writes: per array one definition, whose value can be evaluated anywhere.

    do concurrent (i = 1:n)
      if (i > 1) f(i) = q(i) - q(i - 1)      -->    f: at (i), value q(i) - q(i - 1), under the test i > 1
    end do
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polystencil.analysis.definitions import defined_in, is_pure
from polystencil.analysis.effects import called_targets, self_contained
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import value_of
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_expression, walk_statements
from polystencil.ir.typing import rank_of
from polystencil.transforms.fusion_definition import Definition, definition
from polystencil.transforms.fusion_paths import check_storage, name_of, path_of, root_of, variables_in
from polystencil.transforms.fusion_refusal import NotFused
from polystencil.transforms.fusion_slices import sliced_definitions


@dataclass(frozen=True)
class Producer:
    """A loop that can be evaluated element by element."""

    loop: s.ParallelLoop
    definitions: tuple[Definition, ...]

    def of(self, path: str) -> Definition:
        """The definition of an array."""
        return next(d for d in self.definitions if d.path == path)

    def layers(self) -> list[Producer]:
        """Producers with one definition of an array each, those that come last in the body first."""
        left, out = list(reversed(self.definitions)), []
        while left:
            layer: dict[str, Definition] = {}
            for d in left:
                layer.setdefault(d.path, d)
            out.append(Producer(self.loop, tuple(reversed(layer.values()))))
            left = [d for d in left if layer[d.path] is not d]
        return out


def as_producer(loop: s.ParallelLoop, table: SymbolTable, together: frozenset[str] = frozenset()) -> Producer:
    """The producer's definitions; NotFused where it is not of that form.

    `together` are arrays that several loops produce: an iteration may assign several elements of those.
    """
    if loop.mask is not None:
        raise NotFused("the producer has a mask")
    if loop.reductions:
        raise NotFused("the producer accumulates into a scalar variable")
    if any(value_of(i.step) != 1 for i in loop.indices):
        raise NotFused("the producer has a step that is not one, so its iterations are not simply its elements")
    found: list[Definition] = []
    try:
        _collect(loop.body, loop, found)
        places = {(d.path, d.subscripts if d.path in together else ()) for d in found}
        if len(places) < len(found):
            raise NotFused("the producer assigns an array more than once (several assignments)")
    except NotFused as simple:
        found = sliced_definitions(loop, simple)
    if not found:
        raise NotFused("the producer assigns no array element by element")
    for d in found:
        check_storage(d.path, table, f"the intermediate array {name_of(d.path)}")
    _check_reads(found, table, {d.path for d in found})
    changing = defined_in((loop,), table).ids - {i.ref.id for i in loop.indices}
    for d in found:
        named = {v.split("%", 1)[0] for e in (*d.subscripts, x.Element(d.array, d.subscripts)) for v in variables_in(e)}
        if (named - {root_of(d.path)}) & changing:
            raise NotFused(
                f"the producer assigns {name_of(d.path)} not at its own iteration: a subscript reads a variable of the iteration"
            )
    return Producer(loop, tuple(found))


def _collect(
    body: s.Body, loop: s.ParallelLoop, found: list[Definition], tests: tuple[x.Expression, ...] = ()
) -> None:
    for st in body:
        match st:
            case s.Assign() if isinstance(st.target, x.Element):
                found.append(definition(st, st.target, loop, tests))
            case s.Assign():
                raise NotFused("the producer assigns a private (local) scalar variable, not only elements of arrays")
            case s.If():
                if st.otherwise or len(st.branches) > 1:
                    raise NotFused("the producer assigns under an if with else branches, so not every element once")
                _collect(st.branches[0].body, loop, found, (*tests, st.branches[0].condition))
            case s.Continue():
                pass
            case s.Block():
                if st.declarations:
                    raise NotFused("the producer uses private variables of a block (local temporaries)")
                _collect(st.body, loop, found, tests)
            case _:
                raise NotFused(
                    f"the producer does not assign its arrays element by element ({type(st).__name__.lower()} in its body)"
                )


def _check_reads(found: list[Definition], table: SymbolTable, own: set[str]) -> None:
    for d in found:
        body: s.Body = d.program or (s.Assign(d.array, d.value),)
        passed = {id(a) for node in _values_in(body) if isinstance(node, x.FunctionCall) for a in node.arguments}
        for node in _values_in(body):
            if isinstance(node, (x.Ref, x.Component)) and path_of(node) in own:
                raise NotFused(f"the producer reads {name_of(path_of(node) or '')}, one of the arrays it assigns itself")
            if isinstance(node, x.Range) or (isinstance(node, x.Section) and id(node) in passed):
                continue
            if rank_of(node) and not isinstance(node, (x.Ref, x.Component)):
                raise NotFused("the producer evaluates an array expression or section")
        for target in called_targets(body):
            procedure = table.procedures.get(getattr(target, "id", ""))
            if procedure is None or not is_pure(procedure):
                raise NotFused("the producer calls a function that is not known to be pure")
            why = self_contained(procedure, table)
            if why:
                raise NotFused(f"the producer calls a function that may read other variables: {why}")


def _values_in(body: s.Body) -> Iterator[x.Expression]:
    """Every expression that a definition evaluates, besides the places it assigns."""
    for st in walk_statements(body):
        for e in child_expressions(st):
            if not (isinstance(st, s.Assign) and e is st.target):
                yield from walk_expression(e)
