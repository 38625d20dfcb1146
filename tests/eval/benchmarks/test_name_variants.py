"""Names of one person: those of a list of our own find each other, and hardly anybody else."""

from itertools import chain

from eval.benchmarks.name_variants import name_variants
from panelist.app.demo import corpus
from panelist.records import Author, Authorship, Paper

VARIANTS = """
Tim Berger, Timothy Berger; Yuri Sokolov, Yuriy Sokolov; Kate Holm, Katherine Holm; Alex Waber, Alexander Waber
Mitchell P. Markus, Mitchell Markus; Jean Véron, Jean Veron; B. Habel, Benoît Habel; See-Kiong Ang, See Kiong Ang
Mike Rosner, Michael Rosner; Anja Lund, Anya Lund; Jörg Tiede, Joerg Tiede; Li Wei Zhao, Liwei Zhao
W. Bruce Kroft, Bruce Kroft
Wang Xiaoming, Xiaoming Wang; Mohammad Azari, Mohammed Azari; Tanya Ilyina, Tatiana Ilyina; Dan Meld, I. Dan Meld
Bob Kasper, Robert Kasper; Bill Colten, William Colten; Liz Shreve, Elizabeth Shreve; Natasha Petrova, Natalia Petrova
Dave Traub, David Traub; Renato De Morro, Renato de Morro; Dmitri Karev, Dmitry Karev; Sergey Lvov, Sergei Lvov
Steffen Padow, Stephen Padow; Ola Knut, Aleksander Knut; María Lopez Garcia, Maria López-García
Chris Maning, Christopher D. Maning
"""


def papers(text=VARIANTS):
    for number, entry in enumerate(chain.from_iterable(line.split(";") for line in text.strip().splitlines())):
        for name in entry.split(","):
            author = Author(f"person{number}", name.strip())
            yield Paper(f"{number} {name}", "A title", authorships=(Authorship(author),))


def test_names_of_one_person_find_each_other_and_few_others():
    found = name_variants([*papers(), *corpus()]).figures
    assert found["people"] >= 25
    assert found["recall"] >= 0.87
    assert found["others_per_name"] <= 1.8


def test_pairs_are_counted_in_both_directions_and_others_are_people():
    found = name_variants(papers("J. Doe, Jane Doe, Jill Roe; Jane A. Doe, Jane Doe; Ann Bee"))
    assert (found.people, found.pairs, found.names) == (2, 8, 5)
    assert found.recalled == 4  # Jill Roe is another name
    assert found.strangers == 4  # both Jane Does find the other one, and so does J. Doe; Jill Roe finds nobody
