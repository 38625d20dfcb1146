"""The methods by name: what each of them is, which options it takes, and whether it keeps old pairs by itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from retriever.assignment.flow import Flow
from retriever.assignment.options import AssignOptions, OptionError
from retriever.assignment.problem import Flags, Problem

RULES = ("senior", "apart", "no_cycles", "allow_short")
"""Options of methods that choose pairs for certain."""


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What was chosen for certain (candidates), and whether no lowest sum is known to be higher."""

    chosen: Flags
    exact: bool = False


Function: TypeAlias = Callable[[Problem, Flow], Any]
"""From a problem that has an assignment, and its greatest total, to what is `Chosen`, or to a `Lottery`."""
_Given = TypeVar("_Given", bound=Function)


@dataclass(frozen=True, slots=True)
class Method:
    """A way to make an assignment, and what a front end has to know of it."""

    name: str  # as options call it
    function: Function  # what does it
    takes: tuple[str, ...]  # the options that not every method takes, and this one does
    # whether it keeps as many old pairs as possible; else those that can stay are held, and it chooses others
    keeps: bool
    held: str  # what a chair should know in that case
    # what a page begins with, of options without a default that the method makes little sense without
    suggests: Mapping[str, float]

    @property
    def drawn(self) -> bool:
        """Whether pairs are drawn."""
        return "seed" in self.takes


METHODS: dict[str, Method] = {}


def method(
    name: str, *, takes: tuple[str, ...], keeps: bool = False, held: str = "", **suggests: float
) -> Callable[[_Given], _Given]:
    """Register a method of assignment under a name."""

    def register(function: _Given) -> _Given:
        METHODS[name] = Method(name, function, takes, keeps, held, suggests)
        return function

    return register


def check_method(
    options: AssignOptions,  # what is asked for
    drawn: bool = False,  # whether some pairs have caps of their own
) -> Method:
    """The method of options."""
    if options.method not in METHODS:
        raise OptionError(f"`method` is one of {', '.join(METHODS)}, received '{options.method}'")
    known = METHODS[options.method]
    for option in sorted(options.given | ({"cap"} if drawn else set())):
        takers = [one.name for one in METHODS.values() if option in one.takes]
        if takers and known.name not in takers:
            raise OptionError(f"`{option}` does not work with `method` {known.name}, only with {', '.join(takers)}")
    return known
