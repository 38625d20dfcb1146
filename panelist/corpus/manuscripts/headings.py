"""The words of headings in English, French, German, Spanish and Portuguese, and those of pages that are no papers."""

import re

from panelist.corpus.manuscripts.lines import Line, clean_text

_NUMBER = r"^[\W_]*(?:(?:\d+(?:\.\d+)*|[IVX]+)[\s.:)]+)?"
ABSTRACT = re.compile(
    r"^\W*(?:abstract|summary|résumé|resumé|zusammenfassung|kurzfassung|resumen|resumo|sommario|riassunto"
    r"|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)(?![\w-])(?:\s*$|\s*[.:—–-]+\s*|\s+(?=(?-i:[A-ZÀ-Þ\d“\"])))",
    re.IGNORECASE,
)
"""The heading of an abstract, and what stands between it and the first word."""

AFTER_ABSTRACT = re.compile(
    _NUMBER + r"(?:introduction|introducción|introdução|einleitung|einführung|key\s?-?words|index terms|ccs concepts"
    r"|categories and subject|general terms|additional key words|acm reference format|mots[- ]clés?"
    r"|schlüssel(?:wörter|worte)"
    r"|stichw[oö]rter|palabras clave|palavras[- ]chave|descriptors|significance statement|pacs\b|jel\b|msc\b"
    r"|mathematics subject"
    r"|contents|plain language summary|graphical abstract|abbreviations|nomenclature|received:?\s\d|©"
    r"|copyright\b|permission to make"
    r"|corresponding author|article history|abstract|résumé|zusammenfassung|resumen|resumo)(?![a-zà-ÿ])"
    r"|^\W*\d+(?:\.\d+)*\.?\s+[A-ZÀ-Þ][\w-]+(?:\s\w+){0,3}$",
    re.IGNORECASE,
)
REFERENCES = re.compile(
    _NUMBER
    + r"(?:references?(?: cited| and notes| list)?|bibliograph(?:y|ie)|literature(?: cited)?|works cited|références?"
    r"(?: bibliographiques)?|literatur(?:verzeichnis|angaben)?|quellen(?:verzeichnis)?|schrifttum"
    r"|referencias(?: bibliográficas)?"
    r"|bibliografía|referências(?: bibliográficas)?|bibliografia|riferimenti bibliografici)\W*$",
    re.IGNORECASE,
)
AFTER_REFERENCES = re.compile(
    r"^[\W\d]*(?:(?:appendix|annexe?|anhang|apéndice|apêndice)\b.*|appendices|supplementa\w+ \w+.*"
    r"|supporting information.*|acknowledge?ments?\W*|remerciements\W*|danksagung\W*|agradecimientos\W*"
    r"|author contributions\W*|about the authors?\W*|authors?['’]? biograph.*|biograph(?:y|ies)\W*"
    r"|publisher['’]s note\b.*|(?:figure|table|fig\.|tab\.|abb\.)\s*\d+\b.*|affiliations?\s*|open access\b.*"
    r"|(?:received|submitted|accepted)\b.{0,30}\d{4}.*)$",
    re.IGNORECASE,
)
BIOGRAPHY = re.compile(
    r"^(?:Dr\.? |Prof\.? )?(?:[^\W\d_a-z][\w.'’-]*\s+(?:(?:da|de|del|der|den|di|la|van"
    r"|von)\s+)*){2,5}(?:\([^)]*\)\s*)?"
    r"(?:is|was|received|holds|has|studied|obtained|earned|works|joined|graduated|completed)\b(?! to\b)"
)
"""How the life of an author begins, after the references of a journal."""

_COVER = (
    r"permalink|powered by the|escholarship|uc san diego|previously published works",
    r"\bhal (?:id|is a)\b|archives-ouvertes|hal\.science|to cite this version|submitted on \d",
    r"see discussions, stats|researchgate|user has requested enhancement",
    r"stable url|jstor|terms (?:and|&) conditions of use|all use subject to",
    r"downloaded (?:from|on|by)|accessed (?:mon|tue|wed|thu|fri|sat|sun|on|\d)",
    r"citation for published version|link to publication|document version|take down policy|general rights"
    r"|general copyright",
    r"institutional repository|research (?:repository|explorer|portal|online)|open (?:research )?archive"
    r"|white rose|core\.ac\.uk",
    r"this is (?:the|an) (?:author|accepted)|accepted (?:manuscript|version)|post-?print|version of record"
    r"|please cite",
    r"publication date|date deposited|deposited in|item type|peer reviewed|copyright information|rights statement",
    r"this article (?:was|has been) (?:downloaded|published)|full terms|publication details|submit your article"
    r"|view related articles",
)
_COVERS = tuple(re.compile(words, re.IGNORECASE) for words in _COVER)
_MOST_LINES = 70  # of a cover: a page of a paper may name a repository, too


def is_cover(lines: list[Line]) -> bool:
    """Whether a page is one that a repository or a journal put before the paper: it says so in several ways."""
    text = "\n".join(line.text for line in lines)
    told = sum(bool(words.search(text)) for words in _COVERS)
    has_abstract = any(ABSTRACT.match(line.text) and len(clean_text(line.text)) < 20 for line in lines)
    return len(lines) < _MOST_LINES and (told > 2 or (told > 1 and not has_abstract))
