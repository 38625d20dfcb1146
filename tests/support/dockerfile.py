"""A Dockerfile as a list of stages and steps: enough to check it without an engine."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from string import Template


@dataclass(frozen=True)
class Step:
    """One instruction, its lines joined."""

    keyword: str
    text: str

    @property
    def flags(self) -> dict[str, str]:
        """`--name=value` before the arguments."""
        words = (word[2:].partition("=") for word in self.text.split() if word.startswith("--"))
        return {name: value for name, _, value in words}

    @property
    def words(self) -> list[str]:
        """The arguments: of the JSON form, else of the shell form without flags."""
        plain = " ".join(word for word in self.text.split(" ") if not word.startswith("--"))
        return json.loads(plain) if plain.lstrip().startswith("[") else shlex.split(plain)


@dataclass(frozen=True)
class Stage:
    """What stands between one FROM and the next."""

    image: str
    name: str | None
    steps: list[Step] = field(default_factory=list)

    def all(self, keyword: str) -> list[Step]:
        """The steps of one kind."""
        return [step for step in self.steps if step.keyword == keyword]


def read(path: Path) -> list[Stage]:
    """The stages of a Dockerfile. What it is built on has the defaults of the arguments before the first stage."""
    stages: list[Stage] = []
    defaults: dict[str, str] = {}
    joined = ""
    for line in path.read_text().splitlines():
        if line.lstrip().startswith("#") or (not line.strip() and not joined):
            continue
        joined += line.rstrip().removesuffix("\\")
        if line.rstrip().endswith("\\"):
            continue
        keyword, _, text = re.sub(r"\s+", " ", joined).strip().partition(" ")
        if keyword == "FROM":
            image, _, name = text.partition(" AS ")
            stages.append(Stage(Template(image).substitute(defaults), name or None))
        elif not stages:
            defaults.update([text.partition("=")[::2]])
        else:
            stages[-1].steps.append(Step(keyword, text))
        joined = ""
    return stages


def environment(stage: Stage) -> dict[str, str]:
    """The variables that ENV and ARG set, as they are written."""
    variables: dict[str, str] = {}
    for step in stage.steps:
        if step.keyword in ("ENV", "ARG"):
            variables.update(pair.partition("=")[::2] for pair in shlex.split(step.text))
    return variables
