"""Papers of profiles that people drop, keep or weigh."""

import numpy as np
import pytest
from msgspec import structs

from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper, Submission
from retriever.conference.committee import Committee
from retriever.conference.conference import Conference
from retriever.conference.curation import Choice, curated, read_curation
from retriever.conference.options import ScoreOptions

TOPICS = ["bees dance flowers", "coral reef fish", "stars galaxies dust", "genes cells mice", "rivers floods rain"]
LEXICAL = ScoreOptions(model="hybrid", parameters={"weight": 1.0, "fill": 0}, conflicts="ignore")


def papers_of(who, topics):
    team = (Authorship(Author(who, who)),)
    return [Paper(f"{who}{n}", TOPICS[topic], f"{who} {n}", 2000 + n, team) for n, topic in enumerate(topics)]


@pytest.fixture
def committee():
    owned = {"ada": papers_of("ada", [0, 1, 2, 3]), "bob": papers_of("bob", [0, 0, 4]), "cem": papers_of("cem", [2, 3])}
    return Committee.owning(owned, 3)


def scores(committee, *choices, options=LEXICAL):
    submissions = [Submission(f"s{n}", topic, "", author_names=("Somebody Else",)) for n, topic in enumerate(TOPICS)]
    scored = Conference(submissions, committee, curation=choices).score(options)
    found = np.zeros((len(TOPICS), 3))
    for n, (_, reviewers, values) in enumerate(scored.scores.rows()):
        found[n, reviewers] = values
    return found, scored


def test_dropping_far_papers_lifts_nobody_as_a_shorter_profile_would(committee):
    plain, _ = scores(committee)
    far = [Choice("ada", paper, 0.0, "ada") for paper in ("ada2", "ada3")]  # of stars and of mice: coral stays
    dropped, scored = scores(committee, *far)
    shorter, _ = scores(
        Committee.owning(
            {**dict(zip(committee.ids, committee.papers, strict=True)), "ada": [committee.papers[0][1]]}, 3
        )
    )
    assert shorter[1, 0] > dropped[1, 0] + 0.05
    assert dropped[1, 0] < plain[1, 0] + 0.05
    assert (dropped[2:4, 0] < plain[2:4, 0]).all()
    assert dropped[:, 1:] == pytest.approx(plain[:, 1:])
    (change,) = scored.curated
    rise = dropped[:, 0] - plain[:, 0]
    assert (change.reviewer, change.choices) == ("ada", tuple(far))
    assert (change.mean, change.largest) == pytest.approx((rise.mean(), rise.max()), abs=1e-6)


def test_what_is_dropped_does_not_let_older_papers_move_up_but_what_is_kept_does(committee):
    (profile, *_) = curated(committee, [Choice("ada", "ada3", 0.0, "chair")], 3).profiles
    assert [paper.id for paper in profile] == ["ada3", "ada2", "ada1"]
    (profile, *_) = curated(committee, [Choice("ada", "ada0", 1.0, "chair")], 3).profiles
    assert [paper.id for paper in profile] == ["ada3", "ada2", "ada0"]


def test_a_weight_lies_between_dropping_and_keeping(committee):
    none, half, whole = (scores(committee, Choice("bob", "bob2", w, "bob"))[0][4, 1] for w in (0.0, 0.5, 1.0))
    assert none < half < whole


def test_conflicts_see_what_is_dropped(committee):
    submission = Submission("s", TOPICS[0], "", authors=(Author("zoe", "Zoe"),))
    joint = Paper(
        "joint", "A joint paper", "", 2003, (Authorship(Author("zoe", "Zoe")), Authorship(Author("ada", "Ada")))
    )
    people = Committee.owning({"ada": [joint, *committee.papers[0]], "bob": committee.papers[1]})
    tables = [
        Conference([submission], people, curation=choices).conflicts()
        for choices in ((), (Choice("ada", "joint", 0.0, "ada"),))
    ]
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice("zoe", "ada0", 0.0, "x"), "reviewer 'zoe' of a choice is not on the committee"),
        (Choice("ada", "bob0", 0.0, "x"), "reviewer 'ada' has no paper 'bob0'"),
        (Choice("ada", "ada0", 1.5, "x"), "a weight from 0 to 1"),
        (Choice("ada", "ada0", 0.0, ""), "says by whom it is"),
    ],
)
def test_wrong_choices_are_refused(committee, choice, words):
    with pytest.raises(InputError, match=words):
        curated(committee, [choice])


def test_a_retracted_paper_cannot_be_kept(committee):
    gone = structs.replace(committee.papers[0][0], retracted=True)
    people = Committee.owning({"ada": [gone, *committee.papers[0][1:]]})
    with pytest.raises(InputError, match="was retracted"):
        curated(people, [Choice("ada", gone.id, 1.0, "ada")])


def test_models_that_do_not_weigh_papers_refuse(committee):
    with pytest.raises(InputError, match="'tpms' does not weigh papers"):
        scores(committee, Choice("ada", "ada3", 0.0, "ada"), options=ScoreOptions(model="tpms"))


def test_choices_are_read_from_a_table(tmp_path):
    path = tmp_path / "curation.csv"
    path.write_text("reviewer,paper,weight,by,note\nada,p1,drop,Ada,not mine\nbob,p2,Keep,chair,\nbob,p3,0.5,chair,\n")
    assert read_curation(path) == [
        Choice("ada", "p1", 0.0, "Ada", "not mine"),
        Choice("bob", "p2", 1.0, "chair"),
        Choice("bob", "p3", 0.5, "chair"),
    ]
    path.write_text("reviewer,paper,weight,by\nada,p1,away,Ada\n")
    with pytest.raises(InputError, match="drop, keep, or a number from 0 to 1, received 'away'"):
        read_curation(path)
