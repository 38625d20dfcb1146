"""The methods by name: each makes an assignment of a problem that is known to have one. A new one is named here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from retriever.assignment.methods import capped, certain, perturbed
from retriever.assignment.options import AssignOptions, OptionError

_DRAWN = "drawn, each with at most the cap; those that were kept are certain in this draw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way to make an assignment, and what a front end has to know of it."""

    # from a problem that has an assignment, and its greatest total, to what is `Chosen`; with groups of which one is
    # drawn at most, to a `Lottery`
    function: Callable[..., Any]
    takes: tuple[str, ...]  # the options that not every method takes, and this one does
    # what a chair should know where old pairs are to be kept; empty: the method keeps as many as possible itself, else
    # those that can stay are held, and it chooses others
    held: str = ""
    # what a page begins with, of options without a default that the method makes little sense without
    suggests: Mapping[str, float] = field(default_factory=dict)

    @property
    def drawn(self) -> bool:
        """Whether pairs are drawn."""
        return "seed" in self.takes


METHODS = {
    "total": Method(function=certain.total, takes=("prefer_old", "exact")),
    "fair": Method(function=certain.fair, takes=("prefer_old",)),
    "leximin": Method(function=certain.leximin, takes=("prefer_old",)),
    "envy": Method(
        function=certain.envy,
        takes=("prefer_old",),
        held="picked in turn: a paper may envy another one for what was kept",
    ),
    "random": Method(function=capped.capped, takes=("cap", "seed", "prefer_old"), held=_DRAWN, suggests={"cap": 0.5}),
    "perturbed": Method(function=perturbed.perturbed, takes=("cap", "seed", "quality"), held=_DRAWN),
}


def check_method(options: AssignOptions, drawn: bool = False) -> Method:
    """The method of options, where all of them work with it; `drawn`: some pairs have caps of their own."""
    if options.method not in METHODS:
        raise OptionError(f"`method` is one of {', '.join(METHODS)}, received '{options.method}'")
    for option in sorted(options.changed | ({"cap"} if drawn else set())):
        takers = [name for name, method in METHODS.items() if option in method.takes]
        if takers and options.method not in takers:
            raise OptionError(f"`{option}` does not work with `method` {options.method}, only with {', '.join(takers)}")
    return METHODS[options.method]
