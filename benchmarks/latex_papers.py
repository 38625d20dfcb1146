r"""Papers made with LaTeX's usual classes, with random people, places and references: what a PDF reader must find.

    python benchmarks/latex_papers.py DIRECTORY [PAPERS] [SEED]

writes `truth.jsonl` and, where `pdflatex` is installed, PDF files for `benchmarks/documents.py DIRECTORY`. The styles of ACL, NeurIPS and
Springer's journals are not in Debian: these three are `article` with their geometry, sizes and order of parts (`like-…`).
"""

# ruff: noqa: E501 -- templates of LaTeX are easier to read unbroken

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from typing import Any

GIVEN = [
    "Ana Cristina",
    "Björn",
    "Chiara",
    "Daniel P.",
    "Émilie",
    "Feng",
    "Grażyna",
    "Håkon",
    "Inês",
    "J. R.",
    "Jean-Luc",
    "Kavita",
    "Li",
    "M.",
    "Mohammed",
    "Nguyen",
    "Olga",
    "Peter",
    "Qi",
    "Raúl",
    "Seán",
    "Thi",
    "Ursula",
    "Viktor A.",
    "Wei",
    "Xin",
    "Yusuke",
    "Zoë",
    "Satoshi",
    "K. Maria",
]
FAMILY = [
    "Franco da Silva",
    "Müller",
    "de la Cruz",
    "Wang",
    "Xu",
    "O'Brien",
    "van den Berg",
    "García-Molina",
    "Nowak",
    "Åström",
    "Lee",
    "Shinyama",
    "Sekine",
    "Johnson",
    "Haddad",
    "von der Heyde",
    "Kim",
    "Petrov",
    "Dubois",
    "Rossi",
    "Singh",
    "Nakamura",
    "Smith",
    "Oliveira",
    "Zhao",
    "Schmidt",
    "Le Guen",
    "Yılmaz",
    "Ng",
    "McDonald",
    "Li",
    "York",
    "Diego",
    "Berlin",
]
TOPICS = [
    "tidal mixing",
    "plankton",
    "graph kernels",
    "sparse attention",
    "protein folding",
    "citation networks",
    "query expansion",
    "peer review",
    "soil bacteria",
    "galaxy mergers",
    "program synthesis",
    "speech corpora",
    "heat pumps",
    "coral bleaching",
    "type inference",
]
SHAPES = (
    "Learning {} from {}",
    "On the Role of {} in {}: A Study of Many Cases with a Title That Needs a Second Line",
    "{} and {}",
    "How {} Shapes {}",
    "Towards Robust {} for {} under Uncertainty",
)
PLACES = [
    "Department of Physics, UC San Diego, La Jolla, CA, USA",
    "Institut für Informatik, Universität Stuttgart, Germany",
    "ETH Zürich, Zürich, Switzerland",
    "New York University, New York, NY",
    "Google Research, Mountain View",
    "École Polytechnique, Palaiseau, France",
    "Universidade de São Paulo, Brazil",
    "Tsinghua University, Beijing, China",
    "INRIA Rennes, France",
    "CNR-ISTI, Pisa, Italy",
    "Max Planck Institute for Biology, Tübingen, Germany",
    "Microsoft Research Asia",
    "Jane Goodall Institute, Dar es Salaam, Tanzania",
    "University of St Andrews, St Andrews, Scotland",
]
SENTENCES = (
    "We study how {0} depends on {1} in a large set of measurements.",
    "The results show that earlier work underestimated {0} by a factor of {2}.",
    "We introduce a method that needs no labels and is {2} times as fast as its peers.",
    "Experiments on {2} data sets confirm that {1} matters more than {0}.",
    "Our code and our data are open, so that others can repeat each figure.",
    "These findings suggest that {0} should be measured together with {1}.",
    "In contrast to what is known about {1}, effects persist over {2} weeks.",
)
IEEE = '{0}, "{1}," \\emph{{{3}}}, vol. {4}, no. {5}, pp. {6}--{7}, {2}.'
PHYSICS = "{0}, {1}, {3} \\textbf{{{4}}}, {6} ({2})."
WORDS = {
    "english": ("Abstract", "Keywords", "Introduction", "References"),
    "french": ("Résumé", "Mots-clés", "Introduction", "Références"),
    "ngerman": ("Zusammenfassung", "Schlüsselwörter", "Einleitung", "Literatur"),
    "spanish": ("Resumen", "Palabras clave", "Introducción", "Referencias"),
    "portuguese": ("Resumo", "Palavras-chave", "Introdução", "Referências"),
}


def paper(number: int, style: str, seed: int) -> dict[str, Any]:
    """The truth about one paper: what stands in it."""
    draw = random.Random(f"{seed} {number} {style}")
    first, second = draw.sample(TOPICS, 2)
    title = draw.choice(SHAPES).format(first.title(), second.title())
    people = draw.choice((1, 2, 3, 3, 4, 5, 6, 8, 12))
    authors = [f"{draw.choice(GIVEN)} {family}" for family in draw.sample(FAMILY, people)]
    places = draw.sample(PLACES, min(people, draw.choice((1, 2, 3))))
    lines = [text.format(first, second, draw.randint(2, 90)) for text in draw.sample(SENTENCES, draw.randint(4, 6))]
    labels = ["Context:", "Objective:", "Results:", "Conclusions:"]
    if style == "structured":
        lines = [f"{label} {line}" for label, line in zip(labels, lines, strict=False)]
    entries = [_entry(draw, count) for count in range(draw.randint(8, 45))]
    home = [draw.randrange(len(places)) for _ in authors]
    return {
        "style": style, "number": number, "seed": seed, "title": title, "authors": authors, "places": places, "home": home,
        "abstract": " ".join(lines), "entries": entries, "references": len(entries), "topics": [first, second],
    }  # fmt: skip


def _entry(draw: random.Random, count: int) -> tuple[str, str, int, str]:
    """Names, title, year, journal."""
    names = [f"{draw.choice('ABCDEFGHJKLMNPRSTW')}. {name}" for name in draw.sample(FAMILY, draw.randint(1, 4))]
    title = f"{draw.choice(TOPICS).capitalize()} and {draw.choice(TOPICS)} revisited in case {count + 1}"
    return ", ".join(names), title, draw.randint(1961, 2023), f"Journal of {draw.choice(TOPICS).title()}"


def _text(truth: dict[str, Any], sentences: int = 60) -> str:
    draw = random.Random(truth["number"])
    first, second = truth["topics"]
    lines = (draw.choice(SENTENCES).format(first, second, draw.randint(2, 90)) for _ in range(sentences))
    return "\n\n".join(" ".join(chunk) for chunk in iter(lambda: list(islice(lines, 6)), []))


def _sections(truth: dict[str, Any], introduction: str = "Introduction") -> str:
    return rf"\section{{{introduction}}}{_text(truth)}\section{{Method}}{_text(truth, 40)}"


def _list(
    truth: dict[str, Any], form: str = "{0}. {1}. \\emph{{{3}}}, {4}({5}):{6}--{7}, {2}.", label: str = ""
) -> str:
    draw = random.Random(truth["number"])
    rows = []
    for row, (names, title, year, journal) in enumerate(truth["entries"]):
        low = draw.randint(1, 900)
        shown = form.format(names, title, year, journal, draw.randint(1, 40), draw.randint(1, 12), low, low + 9)
        family = names.split(",")[0].split()[-1].replace("'", "")
        option = label.format(family=family, year=year, short=f"{family[:3]}{year % 100:02d}", row=row)
        rows.append(rf"\bibitem{option}{{k{row}}} {shown}")
    return "\\begin{thebibliography}{99}\n" + "\n".join(rows) + "\n\\end{thebibliography}"


def _article(options: str, head: str, body: str, language: str = "english") -> str:
    return rf"""\documentclass[{options}]{{article}}\usepackage[T1]{{fontenc}}\usepackage[{language}]{{babel}}
{head}\begin{{document}}{body}\end{{document}}"""


def acm(truth: dict[str, Any], form: str) -> str:
    """ACM's class in one of its formats; journals print names in capitals."""
    people = "".join(
        rf"\author{{{name}}}\affiliation{{\institution{{{truth['places'][home].split(',')[0]}}}\city{{Berlin}}\country{{Germany}}}}\email{{a{row}@b.de}}"
        for row, (name, home) in enumerate(zip(truth["authors"], truth["home"], strict=True))
    )
    return rf"""\documentclass[{form},nonacm=false]{{acmart}}\begin{{document}}\title{{{truth["title"]}}}{people}
\begin{{abstract}}{truth["abstract"]}\end{{abstract}}\keywords{{reviewers, tides}}\maketitle{_sections(truth)}{_list(truth)}\end{{document}}"""


def ieee(truth: dict[str, Any], form: str) -> str:
    """IEEE's class: a conference has columns of authors, a journal one line and biographies at the end."""
    names, places = truth["authors"], truth["places"]
    if form == "conference":
        blocks = "\\and\n".join(
            rf"\IEEEauthorblockN{{{name}}}\IEEEauthorblockA{{{places[home].replace(', ', chr(92) * 2, 1)}\\ a{row}@b.org}}"
            for row, (name, home) in enumerate(zip(names, truth["home"], strict=True))
        )
        after = ""
    else:
        shown = ", ".join(rf"{name},~\IEEEmembership{{Member,~IEEE}}" for name in names)
        blocks = rf"{shown}\thanks{{The authors are with {places[0]}. Manuscript received April 19, 2021.}}"
        after = "".join(
            rf"\begin{{IEEEbiographynophoto}}{{{name}}} received the Ph.D. degree from {places[0]} in 2011. He works on tides.\end{{IEEEbiographynophoto}}"
            for name in names
        )
    return rf"""\documentclass[{form}]{{IEEEtran}}\usepackage[T1]{{fontenc}}\begin{{document}}\title{{{truth["title"]}}}\author{{{blocks}}}\maketitle
\begin{{abstract}}{truth["abstract"]}\end{{abstract}}\begin{{IEEEkeywords}}tides, reviewers\end{{IEEEkeywords}}
{_sections(truth)}{_list(truth, IEEE)}{after}\end{{document}}"""


def llncs(truth: dict[str, Any], _: str) -> str:
    """Springer's lecture notes."""
    people = r" \and ".join(
        rf"{name}\inst{{{home + 1}}}" for name, home in zip(truth["authors"], truth["home"], strict=True)
    )
    places = r" \and ".join(rf"{place}\\ \email{{x{row}@y.edu}}" for row, place in enumerate(truth["places"]))
    return rf"""\documentclass[runningheads]{{llncs}}\usepackage[T1]{{fontenc}}\begin{{document}}\title{{{truth["title"]}}}\author{{{people}}}
\authorrunning{{{truth["authors"][0]} et al.}}\institute{{{places}}}\maketitle\begin{{abstract}}{truth["abstract"]}\keywords{{tides \and seas}}\end{{abstract}}
{_sections(truth)}{_list(truth, "{0}: {1}. {3} {4}({5}), {6}--{7} ({2})")}\end{{document}}"""


def elsevier(truth: dict[str, Any], form: str) -> str:
    """Elsevier's class."""
    people = "".join(rf"\author[p{home}]{{{name}}}" for name, home in zip(truth["authors"], truth["home"], strict=True))
    places = "".join(rf"\affiliation[p{row}]{{organization={{{place}}}}}" for row, place in enumerate(truth["places"]))
    return rf"""\documentclass[{form}]{{elsarticle}}\usepackage[T1]{{fontenc}}\journal{{Ocean Modelling}}\begin{{document}}\begin{{frontmatter}}\title{{{truth["title"]}}}
{people}{places}\begin{{abstract}}{truth["abstract"]}\end{{abstract}}\begin{{keyword}}tides \sep seas\end{{keyword}}\end{{frontmatter}}{_sections(truth)}{_list(truth)}\end{{document}}"""


def revtex(truth: dict[str, Any], form: str) -> str:
    """The American Physical Society's class: an abstract without a heading."""
    people = "".join(
        rf"\author{{{name}}}\affiliation{{{truth['places'][home]}}}"
        for name, home in zip(truth["authors"], truth["home"], strict=True)
    )
    return rf"""\documentclass[{form}]{{revtex4-2}}\usepackage[T1]{{fontenc}}\begin{{document}}\title{{{truth["title"]}}}{people}\date{{\today}}
\begin{{abstract}}{truth["abstract"]}\end{{abstract}}\maketitle{_sections(truth)}{_list(truth, PHYSICS)}\end{{document}}"""


def ams(truth: dict[str, Any], _: str) -> str:
    """The mathematicians' class: names in capitals below the title, addresses at the end."""
    people = "".join(
        rf"\author{{{name}}}\address{{{truth['places'][home]}}}"
        for name, home in zip(truth["authors"], truth["home"], strict=True)
    )
    return rf"""\documentclass{{amsart}}\usepackage[T1]{{fontenc}}\begin{{document}}\title{{{truth["title"]}}}{people}
\begin{{abstract}}{truth["abstract"]}\end{{abstract}}\maketitle{_sections(truth)}{_list(truth)}\end{{document}}"""


def acl(truth: dict[str, Any], _: str) -> str:
    """As in the ACL's proceedings: columns of authors below the title, references by name with a hanging indent."""
    columns = r" \and ".join(
        rf"\textbf{{{name}}} \\ {truth['places'][home].split(',')[0]} \\ \texttt{{n{row}@mail.org}}"
        for row, (name, home) in enumerate(zip(truth["authors"], truth["home"], strict=True))
    )
    items = "".join(rf"\hangindent=1em\noindent {a}. {y}. {t}. \emph{{{j}}}.\par" for a, t, y, j in truth["entries"])
    head = rf"""\usepackage[a4paper,margin=2.5cm]{{geometry}}\usepackage{{times}}\title{{\Large\bfseries {truth["title"]}}}\author{{{columns}}}\date{{}}"""
    body = rf"""\maketitle\begin{{abstract}}{truth["abstract"]}\end{{abstract}}{_sections(truth)}\section*{{References}}{{\small {items}}}"""
    return _article("11pt,twocolumn", head, body)


def neurips(truth: dict[str, Any], _: str) -> str:
    """As at NeurIPS: names in bold type in columns, rules around the title, references divided by space."""
    columns = r" \And ".join(
        rf"\begin{{tabular}}[t]{{c}}\textbf{{{name}}}\\ {truth['places'][home].split(',')[0]}\\ \texttt{{n{row}@mail.org}}\end{{tabular}}"
        for row, (name, home) in enumerate(zip(truth["authors"], truth["home"], strict=True))
    ).replace(r"\And", r"\quad ")
    items = "".join(rf"\noindent {a}. {t}. \emph{{{j}}}, {y}.\par\vskip 5pt " for a, t, y, j in truth["entries"])
    head = r"\usepackage[letterpaper,textwidth=5.5in,textheight=9in]{geometry}\usepackage{times}"
    body = rf"""\begin{{center}}\hrule height 4pt\vskip 12pt{{\LARGE\bfseries {truth["title"]}\par}}\vskip 12pt\hrule\vskip 14pt {columns}\end{{center}}
\begin{{center}}\textbf{{\large Abstract}}\end{{center}}\begin{{quote}}{truth["abstract"]}\end{{quote}}{_sections(truth)}\section*{{References}}{{\small {items}}}"""
    return _article("10pt", head, body)


def springer(truth: dict[str, Any], form: str) -> str:
    """As in Springer's journals: names with numbers and dots between them, a note of the publisher at the end."""
    people = " · ".join(rf"{name}$^{{{home + 1}}}$" for name, home in zip(truth["authors"], truth["home"], strict=True))
    places = r"\\".join(rf"$^{{{row + 1}}}$ {place}" for row, place in enumerate(truth["places"]))
    numbers = [f"{row + 1}. " if form == "numbered" else "" for row in range(len(truth["entries"]))]
    items = "".join(
        rf"\hangindent=1.5em\noindent {numbers[row]}{a} ({y}) {t}. {j} {row + 3}:{row + 11}--{row + 19}\par"
        for row, (a, t, y, j) in enumerate(truth["entries"])
    )
    head = r"\usepackage[a4paper,textwidth=15cm,textheight=23cm]{geometry}\usepackage{times}"
    structured = truth["abstract"]
    for label in ("Context:", "Objective:", "Results:", "Conclusions:"):
        structured = structured.replace(label, rf"\textbf{{{label}}}")
    biographies = "".join(
        rf"\noindent\textbf{{{name}}} is a professor of tides at {truth['places'][0]}. He received a degree in 2003.\par "
        for name in truth["authors"][:4]
    )
    body = rf"""\noindent{{\small Empirical Ocean Science (2021) 26:77\\ https://doi.org/10.1007/s10664-021-0{truth["number"]:04d}}}\vskip 1cm
\noindent{{\Large\bfseries\raggedright {truth["title"]}\par}}\vskip 5mm\noindent{{\bfseries\raggedright {people}\par}}\vskip 4mm
\noindent{{\small Accepted: 12 May 2021 / Published online: 3 July 2021\\ \copyright\ The Author(s) 2021}}\vskip 4mm
\noindent\textbf{{Abstract}}\\ {structured}\vskip 2mm\noindent\textbf{{Keywords}} tides · seas\vskip 3mm
\renewcommand{{\thefootnote}}{{}}\footnote{{\noindent {places}}}{_sections(truth)}\section*{{References}}{{\small {items}}}
\vskip 5mm\noindent{{\small \textbf{{Publisher's Note}} Springer Nature remains neutral with regard to jurisdictional claims in published maps and institutional affiliations.\par
\vskip 5mm {biographies}}}"""
    return _article("10pt", head, body)


def plain(truth: dict[str, Any], language: str) -> str:
    """LaTeX's own class, in another language, with numbered references."""
    _, keywords, introduction, _ = WORDS[language]
    mark = iter(cycle((r"\thanks{Supported by the state.}", "", "")))
    people = r" \and ".join(f"{name}{next(mark)}" for name in truth["authors"])
    head = rf"\usepackage{{lmodern}}\title{{{truth['title']}}}\author{{{people}\\ {truth['places'][0]}}}\date{{3. 5. 2020}}"
    body = rf"""\maketitle\begin{{abstract}}{truth["abstract"]}\end{{abstract}}\noindent\textbf{{{keywords}:}} a, b
{_sections(truth, introduction)}{_list(truth, "{0}. {1}. {3}, {4}:{6}, {2}.", "[{short}]" if truth["number"] % 2 else "")}"""
    return _article("11pt", head, body, language)


def letter(truth: dict[str, Any], language: str) -> str:
    """A journal of another language: names in small capitals joined by commas, the heading in the line of the text."""
    abstract, keywords, introduction, references = WORDS[language]
    people = ", ".join(rf"\textsc{{{name}}}\textsuperscript{{{'abcdef'[home]}}}" for name, home in zip(truth["authors"], truth["home"], strict=True))  # fmt: skip
    places = r"\\".join(rf"\textsuperscript{{{'abcdef'[row]}}} {place}" for row, place in enumerate(truth["places"]))
    items = "".join(
        rf"\noindent [{row}] {a}: {t}. {j} ({y}).\par" for row, (a, t, y, j) in enumerate(truth["entries"], 1)
    )
    head = r"\usepackage[a4paper,margin=2.2cm]{geometry}\usepackage{lmodern}"
    body = rf"""{{\small Cahiers de la mer, 12 (2019), p. 3--19\par}}\begin{{center}}{{\LARGE {truth["title"]}\par}}\vskip 6mm {people}\vskip 2mm{{\small\itshape {places}\par}}\end{{center}}
\noindent\textbf{{{abstract}.}} {truth["abstract"]}\par\noindent\textbf{{{keywords} :}} a, b
{_sections(truth, introduction)}\section*{{{references}}}{{\small {items}}}"""
    return _article("10pt", head, body, language)


def cover(truth: dict[str, Any], _: str) -> str:
    """A page of a repository before the paper."""
    front = rf"""\thispagestyle{{empty}}{{\huge UC San Diego}}\\[4mm]{{\Large UC San Diego Previously Published Works}}\\[8mm]\textbf{{Title}}\\{truth["title"]}\\[3mm]
\textbf{{Permalink}}\\ https://escholarship.org/uc/item/{truth["number"]}\\[3mm]\textbf{{Journal}}\\ Ocean Letters, 3(1)\\[3mm]\textbf{{Authors}}\\{", ".join(truth["authors"])}\\[3mm]
\textbf{{Publication Date}}\\ 2017-05-06\\[3mm]Peer reviewed\vfill eScholarship.org\hfill Powered by the California Digital Library\\ University of California\newpage"""
    return llncs(truth, "").replace(r"\begin{document}", r"\begin{document}" + front, 1)


STYLES: dict[str, tuple[Callable[[dict[str, Any], str], str], str]] = {
    "acmart-sigconf": (acm, "sigconf"),
    "acmart-acmsmall": (acm, "acmsmall"),
    "acmart-acmlarge": (acm, "acmlarge"),
    "IEEEtran-conference": (ieee, "conference"),
    "IEEEtran-journal": (ieee, "journal"),
    "llncs": (llncs, ""),
    "elsarticle-preprint": (elsevier, "preprint,12pt"),
    "elsarticle-5p": (elsevier, "final,5p,twocolumn"),
    "revtex-prl": (revtex, "prl,twocolumn"),
    "revtex-preprint": (revtex, "preprint"),
    "amsart": (ams, ""),
    "like-acl": (acl, ""),
    "like-neurips": (neurips, ""),
    "like-springer": (springer, "numbered"),
    "structured": (springer, "names"),
    "article-french": (plain, "french"),
    "article-german": (plain, "ngerman"),
    "article-spanish": (plain, "spanish"),
    "journal-french": (letter, "french"),
    "journal-german": (letter, "ngerman"),
    "journal-portuguese": (letter, "portuguese"),
    "cover-page": (cover, ""),
}


def make(directory: Path, papers: int = 66, seed: int = 42) -> Iterator[str]:
    """Write the papers; the names of those that LaTeX did not make."""
    directory.mkdir(parents=True, exist_ok=True)
    truths = [paper(number, style, seed) for number, style in enumerate(islice(cycle(STYLES), papers))]
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda truth: _compile(directory, truth), truths))
    with (directory / "truth.jsonl").open("w", encoding="utf-8") as file:
        for truth, ready in zip(truths, made, strict=True):
            if ready:
                file.write(json.dumps(truth | {"file": f"{_stem(truth)}.pdf"}, ensure_ascii=False) + "\n")
    return (_stem(truth) for truth, ready in zip(truths, made, strict=True) if not ready)


def _stem(truth: dict[str, Any]) -> str:
    return f"{truth['number']:03d}-{truth['style']}"


def _compile(directory: Path, truth: dict[str, Any]) -> bool:
    template, form = STYLES[truth["style"]]
    name = _stem(truth)
    (directory / f"{name}.tex").write_text(template(truth, form), encoding="utf-8")
    command = ["pdflatex", "-interaction=batchmode", f"{name}.tex"]
    for _ in range(2):
        subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, check=False, timeout=120)
    return (directory / f"{name}.pdf").exists()


if __name__ == "__main__":
    failed = list(make(Path(sys.argv[1]), *map(int, sys.argv[2:])))
    print(f"not made: {', '.join(failed)}" if failed else "all papers were made")
