r"""Title, authors, abstract and references of LaTeX sources: `\title`, `\author`, `abstract`, `\bibitem`."""

import re
from collections.abc import Iterator, Mapping

from panelist.corpus.manuscripts.lines import MARK
from panelist.corpus.names import names_in_line
from panelist.corpus.readers.bibliography.bibtex import plain_latex, read_bbl, read_bibtex
from panelist.corpus.readers.bibliography.printed import as_line

_COMMENT = re.compile(r"(?<!\\)%.*")
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]+)\}")
_CITED = re.compile(r"\\(?:no)?[a-zA-Z]*cite[a-zA-Z]*\*?\s*(?:\[[^\]]*\]\s*)*\{([^{}]*)\}")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\*?\}(.*?)\\end\s*\{abstract", re.DOTALL)
_MARKS = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|textsuperscript|orcid(?:ID|link)?|email|affiliation|IEEEauthorrefmark"
    r"|IEEEmembership)"
    r"(?:\[[^\]]*\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}|(?<!\\)\$?(?<!\\)\^\s*(?:\{[^{}]*\}|\\?\w+|\*)\$?|\\(?:thanksref|fnref|corref)\{[^{}]*\}"
)
_BETWEEN_AUTHORS = re.compile(
    r"\\(?:and|And|AND|quad|qquad|sep|hspace\*?\{[^{}]*\})(?![a-zA-Z])|\\begin\{tabular\}(?:\[\w\])?\{\w+\}|·|&"
)
_NOT_ABSTRACT = re.compile(r"\\(?:keywords|begin\s*\{(?:keywords?|IEEEkeywords)\}|maketitle).*", re.DOTALL)
_DEPTH = 5  # of files that include each other


def read_latex(files: Mapping[str, str]) -> dict[str, object]:
    """Title, names, abstract and references from the sources of one paper, by their names; `ValueError` without any."""
    main = max(
        (name for name in files if r"\begin{document}" in files[name]), key=lambda name: len(files[name]), default=""
    )
    if not main:
        raise ValueError(r"no file has a \begin{document}")
    text = _inlined(files[main], files, _DEPTH)
    authors = list(
        dict.fromkeys(
            name for argument in _arguments(text, r"author|icmlauthor|IEEEauthorblockN") for name in _names(argument)
        )
    )
    body = _ABSTRACT.search(text)
    abstract = body[1] if body else next(_arguments(text, r"abstract"), "")
    return {
        "title": plain_latex(_MARKS.sub("", next(_arguments(text, r"title|icmltitle|Title"), "").replace(r"\\", " "))),
        "authors": authors,
        "abstract": plain_latex(_NOT_ABSTRACT.sub("", abstract)),
        "references": _references(text, files),
    }


def _inlined(text: str, files: Mapping[str, str], depth: int) -> str:
    def content(match: re.Match[str]) -> str:
        name = match[1].strip().removeprefix("./")
        included = files.get(name, files.get(f"{name}.tex"))
        return "" if included is None or depth == 0 else _inlined(included, files, depth - 1)

    return _INPUT.sub(content, _COMMENT.sub("", text))


def _arguments(text: str, commands: str) -> Iterator[str]:
    """The argument in braces of each of these commands, in order; a short form in brackets is passed over."""
    for match in re.finditer(rf"\\(?:{commands})\*?\s*(?:\[[^\]]*\]\s*)?\{{", text):
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0) * (text[end - 1] != "\\")
            end += 1
        yield text[match.end() : end - 1]


def _names(author: str) -> Iterator[str]:
    r"""The names in an argument of `\author`: each person's first line, and further lines that have marks, too."""
    if r"\IEEEauthorblockN" in author:  # its names are arguments themselves
        return
    for block in _BETWEEN_AUTHORS.split(author):
        for row, line in enumerate(re.split(r"\\\\|\\newline", block)):
            text = plain_latex(_MARKS.sub(f" {MARK} ", line))
            names = names_in_line(text.replace(MARK, f"{MARK},"))
            if not names or (row and (MARK not in text or text.startswith(MARK))):
                break
            yield from names


def _references(text: str, files: Mapping[str, str]) -> list[str]:
    """The entries of `thebibliography`, here or in a `.bbl` file; else those of BibTeX files that are cited."""
    for source in (text, *(content for name, content in files.items() if name.endswith(".bbl"))):
        if entries := [as_line(entry) for entry in read_bbl(source)]:
            return entries
    cited = {key.strip() for match in _CITED.finditer(text) for key in match[1].split(",")}
    entries = []
    for name, content in files.items():
        if name.endswith(".bib"):
            for entry in re.split(r"(?m)^(?=\s*@)", content):
                key = re.match(r"\s*@\s*\w+\s*[{(]\s*([^\s,]+)\s*,", entry)
                if key and ("*" in cited or key[1] in cited):
                    entries += [as_line(reference) for reference in read_bibtex(entry) if reference.title]
    return entries
