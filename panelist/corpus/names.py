"""Names of people, made comparable: the same up to case, accents and spacing."""

import re
import unicodedata

_ACCENTS = re.compile("[\u0300-\u036f]")  # only these: marks of other scripts tell letters apart
# Letters with a stroke or a ligature, which Unicode does not decompose and keyboards lack.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})


def normalise_name(name: str) -> str:
    """`name` in lower case, without Latin, Greek and Cyrillic accents, with single spaces.

    >>> normalise_name("  Łukasz   KAISER ")
    'lukasz kaiser'
    """
    if not name.isascii():
        name = _ACCENTS.sub("", unicodedata.normalize("NFKD", name.casefold()))
        # Folding may create new compositions, and these letters of the table: compose, then compare.
        name = unicodedata.normalize("NFC", name.casefold()).translate(_PLAIN)
    return " ".join(name.lower().split())


def first_name_first(name: str) -> str:
    """A name that may have the last name first, as catalogues write it, in the usual order.

    >>> first_name_first("Lovelace, Ada, Jr.")
    'Ada Lovelace Jr.'
    """
    last, _, rest = name.partition(",")
    first, _, suffix = rest.partition(",")
    return " ".join(f"{first} {last} {suffix}".split())


_PARTICLES = "al|ben|bin|da|das|de|del|della|den|der|di|do|dos|du|el|la|le|op|st|ten|ter|van|von|y|zu|zur"
_NO_NAME = re.compile(
    r"universi|institut|depart|laborator|\bschool\b|college\b|\bcent(?:er|re)\b|facult|academ|research|hospital|ministry"
    r"|foundation|corporation|technolog|science|engineering|physics|collaboration|abstract|correspond|contribut"
    r"|avenue|united (?:kingdom|states)|\b(?:china|germany|france|italy|japan|canada|usa)\b|\bu\.s\.a|\bp\.? ?o\.? box"
    r"|\b(?:inc|ltd|gmbh)\b|draft|submitted|dated|received|accepted|preprint|arxiv|journal|e-?mail",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;†‡*∗§¶♠♢♡♣♦⋄⋆‖|·•&\d]+|\band\b|\bAND\b|\bwith\b|\s{3,}")
_WORD = re.compile(r"[^\W\d_](?:[\w'’.-]*\w)?\.?")
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?-?){1,4}")


def is_name(text: str) -> bool:
    """Whether this looks like the whole name of one person: two to five words with capitals, perhaps initials."""
    words = text.split()
    if not 2 <= len(words) <= 5 or words[0] in ("The", "For", "On") or _NO_NAME.search(text):
        return False
    plain = [word for word in words if not re.fullmatch(_PARTICLES, word.lower())]
    shaped = all(_WORD.fullmatch(word) and word[0].isupper() for word in plain)
    return bool(plain) and shaped and len(plain[-1].strip(".")) > 1 and not plain[-1].endswith(".")


def names_in_line(line: str) -> list[str]:
    """The names of people that a line of authors holds: those before the first word of an address.

    >>> names_in_line("Ada Lovelace†, C. Babbage and Luigi de Menabrea LM17@turin.it")
    ['Ada Lovelace', 'C. Babbage', 'Luigi de Menabrea']
    """
    names = []
    for part in _BETWEEN.split(re.sub(r"\S*@\S*|(?<=\s)\w*[^\W\d_]\d\S*|\([^)]*\)", " ; ", line)):
        name = " ".join(part.split())
        if _NO_NAME.search(name):
            break
        if is_name(name):
            names.append(name)
    return names


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
    rest = re.sub(r"^[\s,]*et al\.?", "", text[position:])
    return names, rest.lstrip(" ,;")
