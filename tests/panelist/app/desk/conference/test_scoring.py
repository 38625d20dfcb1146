"""Scoring a conference: what is kept, what resumes, what a chair sees of it; against a slow twin where there is one."""

import threading
from contextlib import nullcontext
from dataclasses import replace

import conference_support
import numpy as np
import pytest
from conference_support import TOPICS, bare_view, open_conferences, openreview_folder, with_files, zipped
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_support import at, make_finder, paper

from indexing.tables.nearness import Nearness
from panelist.app.desk.conference.conflicts import ConflictTables, conflict_rows, open_conference
from panelist.app.desk.conference.contents import file_content, file_records, load_committee, load_submissions
from panelist.app.desk.conference.intake.accept import remove
from panelist.app.desk.conference.scores import ScoreSettings, load_scores, score_record
from panelist.app.desk.conference.solving.scoring import score
from panelist.app.desk.conference.view import Look
from panelist.app.desk.conference.views.overview import Overview
from panelist.app.desk.conference.views.scores import FEW, TYPICAL, ScoreView, explain_score
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.errors import InputError
from panelist.progress import silent
from retriever.affinity.model import affinity_model, with_index
from retriever.conference.options import ScoreOptions

BM25 = ScoreSettings(model="bm25")
DENSE = ScoreSettings(model="dense")


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("corpus"), [paper(f"p{i}", at(f"a{i}")) for i in range(3)]) as finder:
        yield finder


@pytest.fixture
def conferences(tmp_path):
    return open_conferences(tmp_path)


@pytest.fixture
def send(conferences, finder):
    def send(made, kind, content, name):
        conference_support.send(conferences, made.id, kind, name, content, finder.corpus)
        return conferences.get(made.id)

    return send


@pytest.fixture
def made(conferences, send):
    return send(conferences.create("Invented"), "openreview", zipped(openreview_folder()), "v.zip")


@pytest.fixture
def view(conferences, finder):
    """The conference as it is now, with its conflicts and names."""
    tables = ConflictTables(conferences, lambda: nullcontext(finder))
    return lambda made, progress=silent: tables.view(conferences.get(made.id), progress)


@pytest.fixture
def run(conferences, finder, view, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))

    def run(made, how=BM25, progress=silent):
        score(conferences, view(made, progress), how, finder, progress, "Ada")
        return conferences.get(made.id)

    return run


def test_scores_are_those_of_the_library_and_the_history_says_how(made, run, view, conferences, finder, monkeypatch):
    monkeypatch.setattr(type(finder.index), "nearness", Nearness((-0.2, -0.1, 0.0), (0.5, 0.9, 1.0), 5000))
    after = run(made, DENSE)
    whole, options = (
        open_conference(after, finder),
        ScoreOptions(model="dense", keep=50, parameters=with_index("dense", finder.index, {})),
    )
    scored = whole.score(options, view(after).conflicts)
    direct, table = scored.scores, load_scores(after).table
    np.testing.assert_allclose(load_scores(after).fit, scored.grades.fit, rtol=1e-6)
    assert len(set(scored.grades.fit.tolist())) > 1
    assert whole.score(replace(options, grades=False)).grades is None  # nobody asked
    assert whole.score(ScoreOptions(model="bm25")).grades is None  # words have no scale
    columns = zip(table.paper, table.reviewer, table.score, strict=True)
    kept = {(table.papers[row], table.reviewers[who]): value for row, who, value in columns}
    lines = ((one, zip(people, values, strict=True)) for one, people, values in direct.rows())
    expected = {(one, direct.reviewers[who]): float(value) for one, line in lines for who, value in line}
    assert kept == pytest.approx(expected, rel=1e-6)
    assert file_records(after)["scores"].summary == "24 scores, computed here by the model dense"
    event = after.events[0]
    assert (event.kind, event.who, event.detail["model"]) == ("scored", "Ada", "dense")
    assert not list(conferences.work_directory(after.id).iterdir())


def test_who_is_cited_in_a_bibliography_beside_the_submissions_scores_higher(conferences, send, run):
    cited = f"@article{{a, title = {{Earlier work 0 on {TOPICS[2]}}}}}".encode()
    members = {**openreview_folder(), "venue/s0.bib": cited}
    made = send(conferences.create("Citing"), "openreview", zipped(members), "v.zip")

    def place(how):
        after = run(made, how)
        table = load_scores(after).table
        rows = zip(table.paper, table.reviewer, table.score, strict=True)
        scores = {table.reviewers[who]: value for row, who, value in rows if table.papers[row] == "s0"}
        return sorted(scores, key=scores.get, reverse=True).index("~Rev_21"), file_records(after)["scores"].summary

    counted, summary = place(BM25)
    assert summary == "24 scores, computed here by the model bm25 and by what 1 submission cites"
    ignored, summary = place(ScoreSettings(model="bm25", references="off"))
    assert summary == "24 scores, computed here by the model bm25"
    assert counted < ignored


def test_work_that_was_cut_off_goes_on_where_it_was(made, run, conferences, monkeypatch):
    monkeypatch.setattr("retriever.affinity.model.spans.__defaults__", (8,))  # cells: two reviewers in each block
    calls = []

    def stop(stage, done, total):
        calls.append(stage)
        if stage == "scoring reviewers" and done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(made, DENSE, progress=stop)
    (directory,) = conferences.work_directory(made.id).iterdir()
    blocks = sorted(path.name for path in directory.iterdir())
    assert blocks == ["0-2.npz", "2-4.npz"]
    computed = []
    real = affinity_model

    def counting(name, **parameters):
        model = real(name, **parameters)
        prepare = model.prepare

        def watched(*arguments):
            prepared = prepare(*arguments)
            block = prepared.block
            prepared.block = lambda start, stop: computed.append(start) or block(start, stop)
            return prepared

        model.prepare = watched
        return model

    monkeypatch.setattr("retriever.conference.conference.affinity_model", counting)
    resumed = run(made, DENSE)
    assert computed == [4]
    table, fits = load_scores(resumed)
    assert len(table.score) == 24
    assert not directory.exists()
    whole = run(made, DENSE)
    np.testing.assert_allclose(load_scores(whole).fit, fits, rtol=1e-6)
    np.testing.assert_allclose(load_scores(whole).table.score, table.score, rtol=1e-6)


def test_the_search_for_conflicts_says_how_far_it_is_and_can_be_stopped(made, run):
    told = []

    def stop(stage, done, total):
        told.append((stage, done, total))
        if (stage, done) == ("looking for conflicts", 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(made, progress=stop)
    assert told[-3:] == [("looking for conflicts", done, 4) for done in range(3)]


def test_blocks_of_other_files_or_settings_are_not_used(made, run, conferences, monkeypatch):
    monkeypatch.setattr("retriever.affinity.model.spans.__defaults__", (8,))

    def stop(stage, done, total):
        if stage == "scoring reviewers" and done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(made, progress=stop)
    first = {path.name for path in conferences.work_directory(made.id).iterdir()}
    with pytest.raises(KeyboardInterrupt):
        run(made, ScoreSettings(model="tpms"), progress=stop)
    second = {path.name for path in conferences.work_directory(made.id).iterdir()}
    assert len(second) == 1
    assert not first & second


def test_files_that_change_meanwhile_drop_the_result(made, send, run, conferences):
    entered, sent = threading.Event(), threading.Event()

    def wait(stage, done, total):
        if stage == "writing":
            entered.set()
            assert sent.wait(300)

    def change():
        entered.wait(300)
        send(made, "submissions", b"id,title,abstract\nx,A,B\n", "submissions.csv")
        sent.set()

    other = threading.Thread(target=change)
    other.start()
    with pytest.raises(RevisionConflictError, match="files were changed"):
        run(made, progress=wait)
    other.join()
    assert "scores" not in file_records(conferences.get(made.id))


def test_scores_of_old_files_say_so(made, send, run, view):
    after = run(made)
    assert not ScoreView(view(after)).stale
    declared = send(after, "constraints", b"s0,~Rev_01\n", "conflicts.csv")
    assert not ScoreView(view(declared)).stale  # conflicts do not change scores
    changed = send(declared, "submissions", b"id,title,abstract\ns0,Another,Text\n", "submissions.csv")
    assert ScoreView(view(changed)).stale
    ready = send(changed, "scores", b"s0,~Rev_01,0.5\n", "scores.csv")
    scores = ScoreView(view(ready))
    assert not scores.stale
    assert (scores.record, score_record(ready)) == (None, None)


def test_declared_conflicts_get_no_score_and_are_listed_with_their_evidence(made, send, run, view):
    after = run(send(made, "constraints", b"s0,~Rev_01\ns0,~Rev_11,1\n", "conflicts.csv"))
    now = view(after)
    assert ScoreView(now).pair("s0", "~Rev_01") is None
    assert ScoreView(now).pair("s0", "~Rev_11") is not None
    declared = [
        (conflict.submission, conflict.reviewer) for conflict in now.conflicts if conflict.reasons[0].kind == "declared"
    ]
    assert declared == [("s0", "~Rev_01")]
    assert conflict_rows(now, True, Look("rev_01")).total == 1
    assert conflict_rows(now, False, Look("rev_01")).total == 0


def test_conflicts_do_not_depend_on_scores_and_are_renewed_with_their_files(made, send, run, view, conferences):
    before = view(made).conflicts
    somebody, paper = load_committee(made)[0], load_submissions(made)[0].id
    made = send(made, "constraints", f"{paper},{somebody},-1\n".encode(), "conflicts.csv")
    found = view(made).conflicts
    assert before.of(paper, somebody) is None
    assert found.of(paper, somebody).certain
    after = run(made)
    assert view(after).conflicts == found
    sent = send(after, "scores", file_content(after, "scores"), "scores.csv")  # perhaps edited
    assert view(sent).conflicts == found
    remove(conferences, made.id, "scores")
    assert view(made).conflicts == found
    remove(conferences, made.id, "constraints")
    assert view(made).conflicts.of(paper, somebody) is None


def test_a_damaged_table_is_looked_for_again(made, view, conferences, finder):
    found = view(made).conflicts
    conferences.blobs.path(conferences.get(made.id).part("conflicts").blob).write_bytes(b"{}")
    again = open_conferences(conferences.desk.home)  # which has not read it yet
    assert ConflictTables(again, lambda: nullcontext(finder)).of(again.get(made.id)) == found


def test_a_conference_without_files_is_not_scored(conferences, run):
    with pytest.raises(InputError, match="page Files"):
        run(conferences.create("Empty"))


def test_a_committee_of_the_corpus_is_scored_with_its_index(conferences, send, run, finder, view):
    made = send(conferences.create("Corpus"), "committee", b"a0\na1\nnobody\n", "ids.txt")
    made = send(made, "submissions", b"id,title,abstract\ns1,Title of p0,\n", "submissions.csv")
    shown = ScoreView(view(run(made, ScoreSettings(model="dense"))))
    assert shown.view.labels.names["a0"]
    assert {row.reviewer for row in shown.pairs_of_paper("s1", Look()).rows} == {"a0", "a1"}
    rows = {row.id: row for row in Overview(shown.view, shown).people(Look()).rows}
    assert (rows["nobody"].best, rows["nobody"].papers) == (None, 0)
    why = explain_score(shown, finder, "s1", "a0")
    assert [one.id for one in why.papers] == ["p0"]


def test_a_pair_is_explained_by_the_papers_and_words_that_match(made, run, finder, view):
    shown = ScoreView(view(run(made)))
    why = explain_score(shown, finder, "s1", "~Rev_11")
    assert why.rank <= 2  # both reviewers of this topic have the same words
    assert why.confidence is None  # words have no scale
    assert len(why.papers) == 3
    assert {"galaxies", "halos"} <= {word for one in why.papers for term in one.terms for word in term.split()}
    assert "galaxies" in why.papers[0].sentence
    assert [one.match for one in why.papers] == sorted((one.match for one in why.papers), reverse=True)
    with pytest.raises(NotFoundError, match="no reviewer 'x'"):
        explain_score(shown, finder, "s1", "x")


def test_scores_alone_are_shown_without_titles(conferences, send, finder, view):
    made = send(conferences.create("Scores"), "scores", b"p1,r1,0.9\np1,r2,0.1\np2,r1,0.2\n", "scores.csv")
    shown = ScoreView(view(made))
    assert [(row.id, row.title) for row in Overview(shown.view, shown).papers(Look()).rows] == [
        ("p1", "p1"),
        ("p2", "p2"),
    ]
    why = explain_score(shown, finder, "p1", "r2")
    assert (why.papers, why.rank, why.confidence) == ([], 2, None)
    assert why.note.startswith("The conference has scores only")


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (2, ["Lacks able reviewers: “p0”.", "Lacks able reviewers: “p1”."]),
        (5, ["5 papers lack able reviewers, such as “p0”."]),
    ],
)
def test_many_papers_without_able_reviewers_are_one_step(conferences, send, view, count, said):
    lines = "".join(f"p{number},r1,0.5\n" for number in range(count))
    shown = ScoreView(view(send(conferences.create("Thin"), "scores", lines.encode(), "scores.csv")))
    assert [step.words for step in Overview(shown.view, shown).steps() if step.action == "find"] == said


@settings(max_examples=40)
@given(
    st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 5)), st.integers(-5, 5), min_size=1),
    st.integers(-6, 6),
    st.text("pr0123456", max_size=2),
)
def test_slices_agree_with_a_slow_twin(tmp_path_factory, pairs, threshold, search):
    tmp_path = tmp_path_factory.mktemp("view")
    conferences = open_conferences(tmp_path)
    lines = [f"p{p},r{r},{s}\n" for (p, r), s in pairs.items()]
    made = with_files(conferences, {"scores": "".join(lines)})
    shown = ScoreView(bare_view(made))
    papers = {f"p{p}": sorted((s for (q, _), s in pairs.items() if q == p), reverse=True) for p, _ in pairs}
    rows = Overview(shown.view, shown).papers(Look(search, sort="able")).rows
    assert {row.id for row in rows} == {one for one in papers if search in one}
    assert [row.able for row in rows] == sorted(row.able for row in rows)
    able, best, third = shown.able(threshold), shown.nth(0), shown.nth(2)
    for row, one in enumerate(shown.papers):
        scores = papers[one]
        assert able[row] == sum(s >= threshold for s in scores)
        assert best[row] == scores[0]
        assert third[row] == scores[2] if len(scores) > 2 else np.isnan(third[row])
    people = {f"r{r}": sorted((s for (_, q), s in pairs.items() if q == r), reverse=True) for _, r in pairs}
    assert dict(zip(shown.reviewers, shown.wanted(threshold), strict=True)) == {
        one: sum(s >= threshold for s in scores) for one, scores in people.items()
    }
    assert shown.best_by_reviewer() == {one: scores[0] for one, scores in people.items()}
    for p, r in pairs:
        pair = shown.pair(f"p{p}", f"r{r}")
        assert pair.score == pairs[p, r]
        assert pair.rank >= 1 + sum(s > pairs[p, r] for s in papers[f"p{p}"])
    assert shown.threshold == np.median([one[min(TYPICAL, -(-len(one) // 3)) - 1] for one in papers.values()])
    found = shown.pairs_of_reviewer(next(iter(people)), Look())
    assert [row.score for row in found.rows] == people[next(iter(people))]
    thin = sum(sum(s >= threshold for s in one) < FEW for one in papers.values())
    assert int((shown.able(threshold) < FEW).sum()) == thin


def test_scores_are_sorted_once_for_each_state_of_them(conferences, send, view):
    made = send(conferences.create("A"), "scores", b"p1,r1,0.9\n", "scores.csv")
    first = ScoreView(view(made))
    conferences.rename(made.id, "B")
    assert ScoreView(view(made))._sorted is first._sorted
    send(made, "scores", b"p1,r1,0.8\n", "scores.csv")
    assert ScoreView(view(made))._sorted is not first._sorted
    with pytest.raises(NotFoundError, match="no scores yet"):
        ScoreView(view(conferences.create("empty")))
