"""Parameters of models, as users write them: `NAME=VALUE`. What cannot be read is an `InputError`."""

from collections.abc import Iterable
from typing import Any

from panelist.errors import InputError


def read_parameters(texts: Iterable[str]) -> dict[str, Any]:
    """`NAME=VALUE`s as a dictionary; a value is read as YAML, so `3` is a number and `max` a string."""
    return {name: read_value(value) for name, value in map(split_parameter, texts)}


def split_parameter(text: str) -> tuple[str, str]:
    """`NAME=VALUE` as its two sides."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InputError(f"a parameter is written NAME=VALUE, received '{text}'")
    return name, value


def read_value(text: str) -> Any:
    """Read the value of a parameter."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"the value of a parameter is a number or a word, received '{text}'") from error
