"""Files of an assignment: what is read, and what is refused with file and line."""

import gzip
import math

import numpy as np
import pytest

from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind
from retriever.affinity.sparse import SparseScores
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Records, ScoreTable
from retriever.assignment.options import AssignOptions
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.conference.conflicts.table import ConflictTable

SCORES = "p1,r1,0.9\np1,r2,0.5\np2,r1,0.4\np2,r2,0.8\np2,r3,0.1\n"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def read(scores, **sources):
    return read_problem(Sources(scores=[scores], **sources), AssignOptions(demand=1))


def candidates(problem):
    pairs = problem.candidates
    return {
        (problem.papers[problem.row_paper[row]], problem.reviewers[who]): float(score)
        for row, who, score in zip(pairs.row, pairs.reviewer, pairs.score, strict=True)
    }


def test_scores_keep_their_full_precision(write):
    path = write("s.csv", "p1,r1,0.123456789012345\n")
    assert candidates(read(path)) == {("p1", "r1"): 0.123456789012345}


def test_gzipped_files_blanks_and_quotes_are_read(tmp_path):
    path = tmp_path / "s.csv.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf"p,1", r1 ,.5\n\np2,r1,1e-3\n'))
    assert candidates(read(path)) == {("p,1", "r1"): 0.5, ("p2", "r1"): 0.001}


def test_several_scores_and_bids_are_weighted(write):
    text, topic = write("text.csv", "p1,r1,1\np1,r2,2\n"), write("topic.csv", "p1,r1,10\n")
    bids = write("bids.csv", "p1,r1,Very High\np1,r2,Low\n")
    sources = Sources(scores=[text, topic], bids=bids)
    problem = read_problem(sources, AssignOptions(demand=1, weights={"topic": 0.5, "bids": 2}))
    assert candidates(problem) == {("p1", "r1"): 1 + 5 + 2, ("p1", "r2"): 2 - 1}
    assert problem.notes[1] == "bids count 'very high' +1, 'low' -0.5"
    with pytest.raises(InputError, match=r"^weights of texts: .*text, topic, bids"):
        read_problem(sources, AssignOptions(weights={"texts": 1}))


def test_conflicts_locks_quotas_and_demands_shape_the_problem(write):
    problem = read_problem(
        Sources(
            scores=[write("s.csv", SCORES)],
            constraints=write("c.csv", "p1,r1,-1\np2,r3,1\np2,r1,0\n"),
            quotas=write("q.csv", "r1,2\nr2,4,1\n"),
            demands=write("d.csv", "p1,1\n"),
        ),
        AssignOptions(demand=2, most=5),
    )
    assert candidates(problem) == {("p1", "r2"): 0.5, ("p2", "r1"): 0.4, ("p2", "r2"): 0.8}
    assert problem.most.tolist() == [2, 4, 5]
    assert problem.least.tolist() == [0, 1, 0]
    assert problem.demand.tolist() == [1, 2]
    assert problem.locked.tolist() == [[1, 2]]
    assert problem.locked_score.tolist() == [0.1]


def test_roles_are_pools_with_demands_of_their_own(write):
    people = write("r.csv", "reviewer,role\nr1,reviewer\nr2,Area_Chair\nr3,\n")
    sources = Sources(scores=[write("s.csv", SCORES)], people=people)
    problem = read_problem(sources, AssignOptions(demand={"reviewer": 1, "area chair": 1}, most=5))
    assert problem.roles == ("reviewer", "area chair")
    assert problem.demand.tolist() == [1, 1, 1, 1]
    assert problem.candidates.reviewer[problem.candidates.row == 3].tolist() == [1]
    some = read_problem(sources, AssignOptions(demand=1))
    assert some.notes[-1] == "nobody is taken of the roles without a demand: area chair"


def test_what_was_assigned_before_to_a_role_without_a_demand_does_not_come_back(write):
    people = write("r.csv", "reviewer,role\nr1,area chair\nr2,\nr3,\n")
    old = write("old.csv", "p1,r1\np2,r2\n")
    sources = Sources(scores=[write("s.csv", SCORES)], people=people, existing=old)
    problem = read_problem(sources, AssignOptions(demand=1, keep=True))
    assert {who for _, who in candidates(problem)} == {"r2", "r3"}
    assert len(problem.existing) == 2


def test_authors_do_not_review_their_own_papers(write):
    people = write("r.csv", "reviewer,authored\nr1,p1;p2\nr2,\nr3,\n")
    problem = read(write("s.csv", SCORES), people=people)
    assert {who for _, who in candidates(problem)} == {"r2", "r3"}
    assert problem.is_conflict(0, 0)


def test_scores_that_were_just_computed_make_a_problem():
    scores = SparseScores(
        ("s1", "s2"), ("a", "b"), np.array([0, 2, 3]), np.array([1, 0, 0]), np.array([0.5, 0.25, 1], dtype=np.float32)
    )
    conflict = Conflict("s1", "a", ConflictKind.AUTHOR, "is an author")
    records = Records(scores={"affinity": ScoreTable.of(scores)}, conflicts=ConflictTable.grouped([conflict]))
    problem = make_problem(records, AssignOptions(demand=1))
    assert candidates(problem) == {("s1", "b"): 0.5, ("s2", "a"): 1.0}


def test_cut_scores_are_announced(write):
    unknown, note = read(write("s.csv", SCORES)).notes
    assert unknown.startswith("nothing is known of conflicts of interest: authors may be among the reviewers")
    assert note.startswith("scores are cut: 2 to 3 of 3 reviewers per paper have a score")


WRONG = {
    "nan": ("s.csv", "p1,r1,nan\n", r"s.csv, line 1: score .*nan: .*finite"),
    "word": ("s.csv", SCORES + "p3,r1,good\n", r"s.csv, line 6: score 'good' .*number"),
    "header": (
        "s.csv",
        "article,reviewer,score\np1,r1,1\n",
        r"line 1: score 'score' .*no header",
    ),
    "fields": ("s.csv", "p1,r1\n", r"line 1: .*paper,reviewer,score, received 2"),
    "twice": ("s.csv", SCORES + "p1,r2,0.7\n", r"s.csv, line 6: .*p1, r2 .*twice \(line 2\)"),
    "empty id": ("s.csv", "p1,,0.7\n", "line 1: reviewer is empty"),
    "no scores": ("s.csv", "", "there are no scores in"),
    "unknown paper": ("constraints", "p1,r1,-1\np9,r1,-1\n", "constraints, line 2: no paper 'p9'"),
    "unknown reviewer": ("constraints", "p1,r9,-1\n", "constraints, line 1: no reviewer 'r9'"),
    "constraint": ("constraints", "p1,r1,2\n", "line 1: constraint 2 is neither -1"),
    "lock and conflict": ("constraints", "p1,r1,1\np1,r1,-1\n", r"line 2: .*p1, r1 .*locked .*conflict"),
    "constraint twice": ("constraints", "p1,r1,1\np1,r1,1\n", r"line 2: .*p1, r1 .*twice \(line 1\)"),
    "locks beyond demand": ("constraints", "p1,r1,1\np1,r2,1\n", r"line 2: p1 .*locks .*demand of 1"),
    "locks beyond quota": ("constraints", "p1,r1,1\np2,r1,1\n", r"line 2: r1 .*locks .*quota of 1"),
    "negative quota": ("quotas", "r1,-1\n", "quotas, line 1: quota -1 is negative"),
    "fraction": ("quotas", "r1,1.5\n", r"line 1: quota 1\.5 .*whole number"),
    "huge quota": ("quotas", "r1,1e300\n", r"line 1: quota 1e300 .*1,000,000"),
    "huge minimum": ("quotas", "r1,6,9223372036854775808\n", r"line 1: minimum 9223372036854775808 .*1,000,000"),
    "huge demand": ("demands", "p1,99999999999\n", r"line 1: demand 99999999999 .*1,000,000"),
    "min above max": ("quotas", "r1,2,3\n", r"line 1: .*minimum 3 .*maximum 2"),
    "unknown quota": ("quotas", "r9,2\n", "quotas, line 1: no reviewer 'r9'"),
    "quota twice": ("quotas", "r1,2\nr1,2\n", r"line 2: reviewer r1 .*twice \(line 1\)"),
    "no quota": ("quotas", "r1\n", r"line 1: .*reviewer,max\[,min\], received 1 "),
    "no demand": ("demands", "p1\n", r"line 1: .*paper,demand\[,role\], received 1 "),
    "demand": ("demands", "p1,-2\n", "demands, line 1: demand -2 is negative"),
    "unknown demand": ("demands", "p9,2\n", "line 1: no paper 'p9'"),
    "bid": ("bids", "p1,r1,Perhaps\n", r"line 1: bid 'Perhaps' .*very high"),
    "unknown bid": ("bids", "p1,r9,1\n", "bids, line 1: no reviewer 'r9'"),
    "existing": ("existing", "p1,r9\n", r"line 1: no reviewer 'r9' .*quota 0"),
    "seniority": ("reviewers", "reviewer,seniority\nr1,emeritus\n", "line 2: seniority 'emeritus' is neither"),
    "country": ("reviewers", "reviewer,country\nr1,Atlantis\n", r"line 2: country 'Atlantis' .*code"),
    "authored": ("reviewers", "reviewer,authored\nr1,p9\n", "line 2: authored: no paper 'p9'"),
    "column": ("reviewers", "reviewer,age\nr1,9\n", r"line 1: .*header of reviewer"),
    "missing line": ("reviewers", "reviewer\nr1\n", r"reviewers': reviewer 'r2' .*not there"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_refused_with_file_and_line(write, case):
    name, text, message = WRONG[case]
    scores = write("s.csv", SCORES)
    path = write(name, text)
    given = {} if name == "s.csv" else {name.replace("reviewers", "people"): path}
    with pytest.raises(InputError, match=message):
        read_problem(Sources(scores=[scores], **given), AssignOptions(demand=1, most=1))


def test_a_lock_on_an_own_paper_is_refused(write):
    people = write("r.csv", "reviewer,authored\nr1,p1\nr2,\nr3,\n")
    with pytest.raises(InputError, match=r"line 1: .*p1, r1 .*locked.* author"):
        read(write("s.csv", SCORES), people=people, constraints=write("c.csv", "p1,r1,1\n"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"demand": -1}, r"demand .*0 or more.* received -1"),
        ({"demand": 10**30}, r"demand .*at most 1,000,000, received 1000"),
        ({"most": 10**30}, r"most .*at most 1,000,000, received 1000"),
        ({"weights": {"affinity": math.nan}}, r"weights .*received nan of affinity"),
        ({"weights": {"affinity": 1e308}}, r"scores times weights .*at most 1e.100"),
        ({"prefer_old": math.nan}, r"prefer_old .*at most 1e.100"),
        ({"least": 3, "most": 2}, "least 3 is above most 2"),
        ({"cap": 1.5}, "cap is a probability"),
        ({"quality": 0.0}, r"quality .*above 0 .*at most 1"),
        ({"possible": "perhaps"}, r"possible .*avoid or allow, received 'perhaps'"),
        ({"keep": True, "prefer_old": 0.1}, r"keep .*costs, prefer_old"),
        ({"demand": {"area chair": 1}}, r".*'area chair' .*nobody .*role"),
    ],
)
def test_numbers_out_of_range_are_refused(write, options, message):
    with pytest.raises(InputError, match=f"^{message}"):
        read_problem(Sources(scores=[write("s.csv", SCORES)]), AssignOptions(**options))


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read(tmp_path / "none.csv")
    (tmp_path / "b.csv").write_bytes(b"p1,r1,\xff\x81\n")
    with pytest.raises(InputError, match="not text in UTF-8"):
        read(tmp_path / "b.csv")
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(b"p1,r1,1\n")[:-6])
    with pytest.raises(InputError, match="damaged"):
        read(tmp_path / "g.csv.gz")
