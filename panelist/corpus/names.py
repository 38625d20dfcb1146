"""Names of people, made comparable: the same up to case, accents and spacing."""

import re
import tomllib
import unicodedata
from pathlib import Path

from anyascii import anyascii

_ACCENTS = re.compile("[\u0300-\u036f]")  # only these: marks of other scripts tell letters apart
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\u2060\ufeff"))  # what files have between letters
# Letters with a stroke or a ligature, which Unicode does not decompose and keyboards lack.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})

SYLLABLES = re.compile(r"[\u3400-\u9fff\uac00-\ud7a3]+")
"""Characters of Chinese and Korean names, without a blank: 王小明."""
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1dff\u2c00-\ufaff]+")
_REMARK = re.compile(r"[<(\[{][^<>()\[\]{}]*[>)\]}]|\S+@\S+")  # Ada Lovelace <ada@turin.it>; Ada (MIT)
# Most names have none of these, and are not looked at further.
_SIGNS = re.compile(r"[,(<\[{@]|\b(?:dr|prof|assoc|asst|dipl|mrs?|ms|ph\.?\s?d|[mb]sc|[js]r|ii)", re.I)
_BEFORE = re.compile(
    r"^(?:(?i:(?:assoc|asst|prof|professor|mr|mrs|ms|(?:dr|dipl)(?:\.[\s-]*(?:ing|habil|rer|nat|med|phil))*)\.)\s*"
    r"|(?:[Dd]r|[Pp]rof|[Pp]rofessor|M[rs]|Mrs)\s+(?=\S+\s))+"
)
_AFTER = re.compile(  # initials behind a family name, as in "Smith MD", are no title
    r"(?:\s*,\s*(?i:ph\.?\s?d|m\.?\s?d|[mb]\.?\s?sc|dr|prof|professor|jr|sr|i{2,3}|iv)\.?"
    r"|\s+(?:Ph\.?\s?D|[MB]Sc|[JS]r|I{2,3})\.?)+$"
)


def normalise_name(name: str) -> str:
    """`name` in lower case, without Latin, Greek and Cyrillic accents, with single spaces.

    >>> normalise_name("  Łukasz   KAISER ")
    'lukasz kaiser'
    """
    if not name.isascii():
        name = _ACCENTS.sub("", unicodedata.normalize("NFKD", name.translate(_INVISIBLE).casefold()))
        # Folding may create new compositions, and these letters of the table: compose, then compare.
        name = unicodedata.normalize("NFC", name.casefold()).translate(_PLAIN)
    return " ".join(name.lower().split())


def plain_name(name: str) -> str:
    """What somebody is looked up by who is called so: as `normalise_name`, without titles, in the usual order.

    >>> plain_name("Prof. Dr. Ada Lovelace, Ph.D."), plain_name("Lovelace, Ada")
    ('ada lovelace', 'ada lovelace')
    """
    return normalise_name(given_name_first(without_titles(name)))


def without_titles(name: str) -> str:
    """A name without titles before and after it, and without remarks in parentheses; as it is where nothing else is.

    >>> without_titles("Dr. Yue Zhang (MIT)"), without_titles("JR Smith"), without_titles("Md. Rahman")
    ('Yue Zhang', 'JR Smith', 'Md. Rahman')
    """
    if not _SIGNS.search(name):
        return name
    bare = _BEFORE.sub("", _REMARK.sub(" ", name).strip())
    after = _AFTER.search(bare)
    bare = bare[: after.start()] if after and " " in bare[: after.start()] else bare
    return bare or name


def in_latin(name: str) -> str:
    """A name in Latin letters: 王小明 is Wang Xiao Ming, Иван Петров is Ivan Petrov."""
    if name.isascii():
        return name
    spaced = SYLLABLES.sub(lambda characters: f" {' '.join(characters[0])} ", name)
    return _OTHER_SCRIPT.sub(lambda letters: anyascii(letters[0]), spaced)


def openreview_name(name: str) -> str:
    """The name in an id of OpenReview, `~First_Last1`, for possible conflicts only; any other name as it is."""
    return name[1:].rstrip("0123456789").replace("_", " ") if name.startswith("~") else name


def first_name_first(name: str) -> str:
    """A name that may have the last name first, as catalogues write it, in the usual order.

    >>> first_name_first("Lovelace, Ada, Jr.")
    'Ada Lovelace Jr.'
    """
    last, _, forenames = name.partition(",")
    forename, _, suffix = forenames.partition(",")
    return " ".join(f"{forename} {last} {suffix}".split())


def given_name_first(name: str) -> str:
    """What people write as `Lovelace, Ada` in the usual order; anything with more words after the comma as it is."""
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family}" if comma and len(given.split()) <= 3 else name


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_PARTICLES, _PARTS, _PLACES = "|".join(_TABLES["particles"]), _TABLES["no_names"], _TABLES["places"]
_NO_NAME = re.compile(
    rf"{'|'.join(_PARTS['parts'])}|\b(?:{'|'.join(_PARTS['words'])})\b|\b(?:{'|'.join(_PARTS['beginnings'])})"
    rf"|(?:{'|'.join(_PARTS['ends'])})\b|(?:{'|'.join(_PARTS['last'])})$",
    re.IGNORECASE,
)
_PLACE = re.compile(rf"^(?:{'|'.join(_PLACES['whole'])})$|\b(?:{'|'.join(_PLACES['last'])})$", re.IGNORECASE)
BETWEEN_NAMES = re.compile(
    r"[,;†‡*∗§¶♠♢♡♣♦⋄⋆‖|·•∙&\d()]+|\s-\s|\b(?:and|AND|with|et|und)\b|\s[ye]\s(?=[^\W\d_a-z]\S*\s+[^\W\d_a-z])|\s{3,}"
)
_WORD = re.compile(r"[^\W\d_](?:[\w'’.‐-]*\w)?\.?")
_PARTICLE_WORD = re.compile(_PARTICLES)
_MOST_WORDS = 6


def is_no_name(text: str) -> bool:
    """Whether this is of an address or a title: a word of institutions, or a place."""
    return bool(_NO_NAME.search(text) or _PLACE.search(text.strip()))


def is_name(text: str) -> bool:
    """Whether this looks like the whole name of one person: two to six words with capitals, perhaps initials."""
    words = text.split()
    if not 2 <= len(words) <= _MOST_WORDS or words[0] in ("The", "For", "On", "A", "In", "An") or is_no_name(text):
        return False
    plain = [word for word in words if not _PARTICLE_WORD.fullmatch(word.lower())]
    shaped = all(_WORD.fullmatch(word) and word[0].isupper() for word in plain)
    if not (plain and shaped and len(plain) <= 5 and len(plain[-1].strip(".")) > 1 and not plain[-1].endswith(".")):
        return False
    # Abbreviations of institutions: 'ETH Zürich', 'MIT Press'; whole lists of authors are in capitals, too.
    return text.isupper() or not any(
        len(word) > 2 and word.isupper() and "." not in word and "-" not in word for word in plain
    )


def names_in_line(line: str) -> list[str]:
    """The names of people that a line of authors holds: those before the first word of an address.

    >>> names_in_line("Ada Lovelace†, C. Babbage and Luigi de Menabrea LM17@turin.it")
    ['Ada Lovelace', 'C. Babbage', 'Luigi de Menabrea']
    """
    names = []
    for column in re.split(r"\s{3,}", line):
        for item in BETWEEN_NAMES.split(re.sub(r"\S*@\S*|(?<=\s)\w*[^\W\d_]\d\S*|\([^)]*\)", " ; ", column)):
            name = " ".join(item.split())
            if is_no_name(name):
                break
            if is_name(name):
                names.append(name)
    return names


def usual_capitals(name: str) -> str:
    """A name in capitals as it is usually written.

    >>> usual_capitals("KAVITA DE LA CRUZ-O’BRIEN")
    'Kavita de la Cruz-O’Brien'
    """
    words = (word.lower() if _PARTICLE_WORD.fullmatch(word.lower()) else word.title() for word in name.split())
    text = " ".join(words)
    return text[:1].upper() + text[1:]


_U = r"[A-ZÀ-ÖØ-Þ\u0100-\u024f]"
_PARTICLE = rf"(?:(?i:{_PARTICLES})\s|[dlDLO]['’])"
_SURNAME = (
    rf"{_PARTICLE}*{_U}[\w'’]+(?:[-‐–]{_U}?[\w'’]+)*(?:\s{_PARTICLE}*{_U}[\w'’-]+(?!\.))?(?:,?\s(?:Jr|Sr|III?)\.?)?"
)
_DOTTED = rf"(?:{_U}[a-z]?\.[\s-]*)+"
_STOP = r"(?=[,.;:)(]|\s+(?:and|et al|\d{4}|\()|\s*&|\s*$|\s*[“\"‘])"
_FORMS = tuple(
    re.compile(form + _STOP)
    for form in (
        rf"(?P<last>{_SURNAME}),\s?(?P<first>{_DOTTED}|{_U}{{1,3}})(?:{_PARTICLE}*)",  # Lovelace, A. K.
        rf"(?P<first>{_DOTTED})(?P<last>{_SURNAME})",  # A. K. Lovelace
        rf"(?P<first>{_U}[\w'’-]+\s{_DOTTED})(?P<last>{_SURNAME})",  # Ada K. Lovelace
        rf"(?P<last>{_SURNAME})\s(?P<first>(?:{_U}-?){{1,4}})",  # Lovelace AK
        rf"(?P<first>{_U}[\w'’-]+(?:\s(?:{_U}\.?|{_U}[\w'’-]+)){{0,4}}?)\s(?P<last>{_SURNAME})",  # Ada King Lovelace
    )
)
_WHOLE = (_FORMS[2], _FORMS[4])  # first names are written out
_SEPARATOR = re.compile(r"\s*(?:[,;]\s*(?:and\s+|&\s*)?|\s+and\s+|\s*&\s*)")
_GROUP = re.compile(r"^(?:The\s)?[\w&+ -]{2,40}\s(?:Collaborations?|Group|Consortium|Team),\s")


def leading_names(text: str) -> tuple[list[str], str]:
    """The names with which a printed reference begins, first names first, and what follows them.

    >>> leading_names("Lovelace, A. K., Babbage, C. (1843). Notes.")
    (['A. K. Lovelace', 'C. Babbage'], '(1843). Notes.')
    """
    group = _GROUP.match(text)
    position = group.end() if group else 0
    names: list[str] = []
    forms: tuple[re.Pattern[str], ...] = _FORMS
    while match := next(filter(None, (form.match(text, position) for form in forms)), None):
        names.append(" ".join(f"{match['first']} {match['last']}".split()))
        forms = _WHOLE if match.re in _WHOLE else (*_FORMS[:2], _FORMS[3])  # one list, one way of writing names
        position = match.end()
        between = _SEPARATOR.match(text, position)
        if between is None:
            break
        position = between.end()
    remainder = re.sub(r"^[\s,]*et al\.?", "", text[position:])
    return names, remainder.lstrip(" ,;")
