"""A conference's solutions: made, compared, chosen, changed by hand with the fewest changes, explained and exported."""

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from zipfile import ZipFile

import pytest
from conference_support import Live, bare_view, open_conferences

from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.manual import (
    Change,
    ManualChanges,
    apply_detail,
    detail_of,
    sum_changes,
    undo_detail,
    undone,
    words_of,
)
from panelist.app.desk.conference.outcomes import chosen, load_pairs, load_records, load_solution, load_solutions
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving.inputs import gather, known_inputs
from panelist.app.desk.conference.solving.making import check_manual, discard
from panelist.app.desk.conference.view import Look
from panelist.app.desk.conference.views import solutions as viewing
from panelist.app.desk.conference.views.late import late_papers
from panelist.app.desk.conference.views.scores import ScoreView
from panelist.app.desk.errors import NotFoundError
from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind
from panelist.words import Labels
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Quota
from retriever.conference.conflicts.table import ConflictTable, TableHeader
from retriever.fit import grade

SCORES = "".join(f"p{i},r{j},{((5 * i + 3 * j) % 7) / 7:.4f}\n" for i in range(6) for j in range(5))


@pytest.fixture
def conference(tmp_path):
    return Live(open_conferences(tmp_path), {"scores": SCORES})


def look(conference, number, hand=None, **how):
    return viewing.pair_slice(bare_view(conference.now, hand), number, Look(**how))


def exported(conference, number, form, conflicts=(), titles=None):
    return viewing.solution_file(bare_view(conference.now, None, conflicts, titles), number, form)


def solved(conference, hand=None, base=None, conflicts=(), **settings):
    how = ConferenceSettings(**{"demand": 2, "most": 4} | settings)
    return conference.solve(bare_view(conference.now, hand, conflicts), how, base)


def pairs(conference, number):
    return {(pair.paper, pair.reviewer) for pair in load_pairs(conference.now, number).pairs}


def event(number, kind, detail):
    return Event(number, datetime.now(UTC), "Ada", kind, detail, key=number)


def changed(*changes):
    hand = ManualChanges(event=len(changes))
    for one in changes:
        apply_detail(hand, detail_of(Change(**one), hand, ConflictTable()))
    return hand


def test_a_solution_has_figures_plots_pairs_and_alternates(conference):
    one = solved(conference, method="total")
    assert (one.number, one.state) == (1, "done")
    assert one.summary.pairs == 12
    assert one.plots["sums"][0] == pytest.approx(one.summary.lowest)
    assert sum(one.plots["loads"]) == 5
    assert sum(load * count for load, count in enumerate(one.plots["loads"])) == 12
    assert len(load_pairs(conference.now, 1).pairs) == 12
    assert {alternate.paper for alternate in load_pairs(conference.now, 1).alternates} == {f"p{i}" for i in range(6)}
    fair = solved(conference)
    assert [solution.number for solution in load_solutions(conference.now)] == [2, 1]
    assert fair.summary.lowest >= one.summary.lowest
    assert fair.summary.total <= one.summary.total + 1e-9


def test_what_is_locked_and_forbidden_by_hand_holds_with_the_fewest_changes(conference):
    solved(conference, method="total")
    before = pairs(conference, 1)
    gone = min(before)
    wanted = next((p, r) for p in ("p5", "p4") for r in ("r0", "r1", "r2") if (p, r) not in before)
    hand = changed(
        {"action": "forbid", "paper": gone[0], "reviewer": gone[1]},
        {"action": "lock", "paper": wanted[0], "reviewer": wanted[1]},
    )
    again = solved(conference, hand, base=1, method="total")
    after = pairs(conference, 2)
    assert again.event == 2
    assert gone not in after
    assert wanted in after
    assert len(before - after) <= 4
    found = viewing.side_by_side(conference.now, Labels({}, {}), 1, 2)
    assert found.common == len(before & after) == 12 - found.gone_total
    assert {tuple(pair) for pair in found.new} == after - before


@pytest.mark.parametrize("method", ["envy", "random", "perturbed"])
def test_methods_that_pick_or_draw_keep_what_can_stay_and_choose_the_rest(conference, method):
    cap = {"envy": {}, "random": {"cap": 0.8}, "perturbed": {"cap": 0.8, "quality": 0.8}}[method]
    solved(conference, method=method, **cap)
    gone = min(pairs(conference, 1))
    hand = changed({"action": "forbid", "paper": gone[0], "reviewer": gone[1]})
    again = solved(conference, hand, base=1, method=method, **cap)
    assert (again.state, again.summary.method) == ("done", method)
    assert any("as many pairs as possible" in note for note in again.summary.notes)
    assert pairs(conference, 1) - pairs(conference, 2) == {gone}
    (new,) = [pair for pair in load_pairs(conference.now, 2).pairs if not pair.kept]
    assert new.probability <= cap.get("cap", 1)
    stays = min(pairs(conference, 1) & pairs(conference, 2))
    assert "as many as possible" in viewing.why_pair(conference.now, 2, *stays).reasons[0]


def test_a_change_is_undone_by_an_event_and_that_one_too():
    first = event(
        1, "lock", detail_of(Change(action="lock", paper="p1", reviewer="r1"), ManualChanges(), ConflictTable())
    )
    assert sum_changes([first]).pairs == {("p1", "r1"): 1}
    second = event(2, "undo", undo_detail(1, [first]))
    assert sum_changes([first, second]) == ManualChanges(event=2)
    with pytest.raises(InputError, match="undone already"):
        undo_detail(1, [first, second])
    third = event(3, "undo", undo_detail(2, [first, second]))
    assert undone([first, second, third]) == {2}
    assert sum_changes([third, second, first]).pairs == {("p1", "r1"): 1}
    with pytest.raises(InputError, match=r"event \d+ .*change by hand"):
        undo_detail(9, [first])


def test_every_action_says_in_words_what_it_sets():
    hand = changed({"action": "lock", "paper": "p1", "reviewer": "r1"})
    expected = {
        ("replace", "p1", "r1", "r2", ""): ([("p1", "r1", -1), ("p1", "r2", 1)], "p1: r2 instead of r1"),
        ("exchange", "p1", "r1", "r2", "p2"): (
            [("p1", "r1", -1), ("p1", "r2", 1), ("p2", "r2", -1), ("p2", "r1", 1)],
            "p1 and p2 exchange r1 and r2",
        ),
        ("forbid", "p1", "r1", "", ""): ([("p1", "r1", -1)], "forbid r1 on p1"),
        ("release", "p1", "r1", "", ""): ([("p1", "r1", 0)], "leave r1 on p1 to the solver again"),
        ("decline", "p1", "r1", "", ""): ([("p1", "r1", -1)], "r1 declined p1"),
        # Whoever declined altogether cannot stay locked.
        ("decline", "", "r1", "", ""): ([("p1", "r1", 0)], "r1 declined altogether"),
    }
    for (action, paper, reviewer, other, elsewhere), (wanted, words) in expected.items():
        asked = Change(action=action, paper=paper, reviewer=reviewer, other=other, other_paper=elsewhere)
        detail = detail_of(asked, hand, ConflictTable())
        assert detail["pairs"] == wanted
        told = event(1, action, detail)
        assert words_of(told, [told]) == words
        assert words_of(event(2, "undo", {"of": 1}), [told]) == f"undo: {words}"
    assert detail_of(Change(action="decline", reviewer="r1"), hand, ConflictTable())["quotas"] == {"r1": 0}
    with pytest.raises(InputError, match="needs 'other'"):
        detail_of(Change(action="replace", paper="p1", reviewer="r1"), hand, ConflictTable())


def test_uploaded_files_and_changes_by_hand_are_put_together_and_kept(conference):
    conference.put(constraints="p0,r0,-1\np1,r1,1\np2,r2,1\n")
    conference.put(quotas="r0,1\nr1,3,2\n")
    conference.put(demands="p0,1\np1,3\n")
    hand = changed(
        {"action": "release", "paper": "p1", "reviewer": "r1"},
        {"action": "forbid", "paper": "p0", "reviewer": "r0"},
        {"action": "quota", "quotas": {"r1": 1}},
        {"action": "demand", "paper": "p0", "number": 2},
    )
    settings = ConferenceSettings(demand=2, most=4, quota_floor=2, demand_ceiling=2)
    records = gather(conference.now, settings, hand, ConflictTable())
    assert (list(records.forbidden), list(records.locked)) == ([("p0", "r0")], [("p2", "r2")])
    assert records.quotas == {"r0": Quota(2), "r1": Quota(1, 1)}
    assert records.demands == {("p0", ""): 2, ("p1", ""): 2}
    conference.solve(bare_view(conference.now, hand), settings)
    again = load_records(conference.now, 1)
    for name in ("people", "quotas", "demands", "conflicts"):
        assert getattr(again, name) == getattr(records, name)
    for name in ("forbidden", "locked", "existing"):
        assert [*getattr(again, name)] == [*getattr(records, name)]
    assert len(make_problem(again, settings.options()).locked) == 1


def test_a_conflict_is_never_waived_and_locks_fit(conference):
    conference.put(constraints="p0,r0,-1\n")

    def check(*changes):
        check_manual(bare_view(conference.now, changed(*changes)))

    with pytest.raises(InputError, match="locked and excluded"):
        check({"action": "lock", "paper": "p0", "reviewer": "r0"})
    released = gather(
        conference.now,
        ConferenceSettings(),
        changed({"action": "release", "paper": "p0", "reviewer": "r0"}),
        ConflictTable(),
    )
    assert list(released.forbidden) == [("p0", "r0")]
    with pytest.raises(InputError, match=r"^no reviewer 'nobody' .*scores$"):
        check({"action": "lock", "paper": "p0", "reviewer": "nobody"})
    many = [{"action": "lock", "paper": "p0", "reviewer": f"r{j}"} for j in range(1, 5)]
    check(*many[:3])
    with pytest.raises(InputError, match=r"^p0 .*locks .*demand of 3$"):
        check(*many)


def test_conflicts_of_the_table_hold_whatever_is_locked(conference):
    conflicts = (
        Conflict("p0", "r0", ConflictKind.COAUTHOR, "wrote together", True),
        Conflict("p1", "r1", ConflictKind.COAUTHOR, "perhaps", False),
    )
    first = changed({"action": "lock", "paper": "p0", "reviewer": "r0"})
    with pytest.raises(InputError, match=r"r0 .*conflict of interest: wrote"):
        check_manual(bare_view(conference.now, first, conflicts))
    lock = changed({"action": "lock", "paper": "p1", "reviewer": "r1"})
    with pytest.raises(InputError, match=r"perhaps.*dismisses"):
        solved(conference, lock, conflicts=conflicts)
    one = solved(conference, lock, conflicts=conflicts, possible="allow")
    assert ("p0", "r0") not in pairs(conference, one.number)
    assert [pair.conflict for pair in one.summary.conflicts.chosen] == ["perhaps"]
    people = exported(conference, one.number, "people", conflicts).decode()
    assert "possible: perhaps" in people


def test_an_infeasible_solution_lists_cures_and_each_of_them_cures(conference):
    one = solved(conference, demand=4, most=4)
    assert one.state == "infeasible"
    assert one.error == "4 reviews cannot be given: 6 papers need 24, their only 5 reviewers give 20"
    assert len(one.cut.papers) == 6
    by_words = {cure.words: cure for cure in one.cures}
    assert "Raise every load to 5" in by_words
    assert "Ask for 3 reviews per paper" in by_words
    assert "Allow papers to lack reviews, evenly" in by_words
    assert not any("onflict" in words for words in by_words)
    for cure in one.cures:
        if cure.settings:
            assert solved(conference, **cure.settings).state == "done", cure.words
        elif cure.quotas:
            hand = changed({"action": "quota", "quotas": cure.quotas})
            assert solved(conference, hand, demand=4, most=4).state == "done"
    assert sum(cure.quotas is not None for cure in one.cures) == 1


def test_rules_that_cannot_be_kept_are_offered_for_leaving_out(conference):
    people = "".join(f"r{j},Institute\n" for j in range(5))
    conference.put(reviewers=f"reviewer,institution\n{people}")
    one = solved(conference, apart=("institution",))
    assert one.state == "infeasible"
    (cure,) = [cure for cure in one.cures if cure.settings]
    assert cure.words == "Keep nobody apart"
    assert solved(conference, **cure.settings).state == "done"


def test_what_does_not_fit_is_refused_at_once_with_its_file(conference):
    conference.put(quotas="r0,2\nnobody,3\n")
    with pytest.raises(InputError, match=r"^quotas\.csv: .*reviewer 'nobody' .*scores$"):
        solved(conference)
    conference.remove("quotas")
    assert solved(conference, demand=4, most=4).state == "infeasible"
    with pytest.raises(InputError, match=r"solution \d+ .*chosen: .*infeasible"):
        conference.choose(1)
    with pytest.raises(InputError, match=r"^cap .*not .*method fair"):
        solved(conference, cap=0.5)


def test_a_solution_is_chosen_and_others_are_discarded(conference):
    assert chosen(conference.now) is None
    solved(conference)
    solved(conference, method="total")
    conference.choose(2)
    assert chosen(conference.now) == 2
    with pytest.raises(InputError, match="is chosen"), conference.conferences.note(conference.id) as change:
        discard(change, 2)
    with conference.conferences.note(conference.id) as change:
        discard(change, 1)
    with pytest.raises(NotFoundError, match="there is no solution 1"):
        load_solution(conference.now, 1)
    assert solved(conference).number == 3


def test_the_list_comes_in_slices_sorted_and_searched(conference):
    solved(conference)
    hand = changed({"action": "lock", "paper": "p0", "reviewer": "r0"})
    whole = look(conference, 1, hand, offset=0, limit=100)
    assert whole.total == len(whole.rows) == 12
    part = look(conference, 1, hand, offset=10, limit=5)
    assert part.rows == whole.rows[10:]
    scores = [row.pair.score for row in look(conference, 1, hand, offset=0, limit=9, sort="score").rows]
    assert scores == sorted(scores)
    found = look(conference, 1, hand, offset=0, limit=9, search=" P0")
    assert {row.pair.paper for row in found.rows} == {"p0"}


def test_why_is_answered_as_long_as_the_scores_are_the_same(conference):
    solved(conference)
    chosen = min(pairs(conference, 1))
    assert viewing.why_pair(conference.now, 1, *chosen).chosen
    conference.put(scores=SCORES + "p9,r0,0.5\n")
    with pytest.raises(InputError, match=r"scores .*changed .*solution 1 .*assign again"):
        viewing.why_pair(conference.now, 1, *chosen)


def test_pairs_have_the_grade_of_their_score_as_long_as_the_scores_are_the_same(conference):
    def grades():
        rows = look(conference, 1, offset=0, limit=99).rows
        people = exported(conference, 1, "people").decode("utf-8-sig")
        assert [row["confidence"] for row in csv.DictReader(io.StringIO(people))] == [
            row.confidence or "" for row in rows
        ]
        return {(row.pair.paper, row.pair.reviewer): row.confidence for row in rows}

    fits = {f"p{i},r{j}": 0.04 * ((i + j) % 3) for i in range(6) for j in range(5)}
    conference.put(scores=SCORES, fit="".join(f"{pair},{fit}\n" for pair, fit in fits.items()))
    solved(conference)
    found = grades()
    assert found == {pair: grade(fits[",".join(pair)]) for pair in found}
    assert len(set(found.values())) == 3
    conference.put(scores=SCORES + "p9,r0,0.5\n")
    assert set(grades().values()) == {None}


def test_every_export_holds_the_same_pairs(conference):
    solved(conference, method="random", cap=0.8, seed=3)
    expected = pairs(conference, 1)
    rows = list(csv.reader(io.StringIO(exported(conference, 1, "csv").decode())))
    assert {(paper, reviewer) for paper, reviewer, _ in rows} == expected
    made = json.loads(exported(conference, 1, "openreview"))["assignments"]
    assert {(paper, one["user"]) for paper, found in made.items() for one in found} == expected
    people = exported(conference, 1, "people", titles={"p0": "=EVIL()"}).decode("utf-8-sig")
    table = list(csv.DictReader(io.StringIO(people)))
    assert {(row["paper"], row["reviewer"]) for row in table} == expected
    assert {row["title"] for row in table} == {"'=EVIL()", ""}
    run = [line.split() for line in exported(conference, 1, "run").decode().splitlines()]
    assert {(line[0], line[2]) for line in run} == expected
    with ZipFile(io.BytesIO(exported(conference, 1, "zip"))) as archive:
        assert {
            *("assignment.csv", "openreview.json", "assignment-for-people.csv", "assignment.run"),
            *("alternates.csv", "marginals.csv", "report.html", "solution.json", "pairs.json"),
        } <= set(archive.namelist())
    solved(conference)
    with pytest.raises(NotFoundError, match=r"marginals\.csv: .*not drawn"):
        exported(conference, 2, "marginals")


def test_roles_have_demands_of_their_own(conference):
    people = "".join(f"r{j},{'area chair' if j > 3 else ''},{'senior' if j < 2 else ''}\n" for j in range(5))
    conference.put(reviewers=f"reviewer,role,seniority\n{people}")
    found = known_inputs(bare_view(conference.now))
    assert (found.roles, found.about) == (["reviewer", "area chair"], ["seniority"])
    one = solved(conference, demand={"reviewer": 2, "area chair": 1}, most={"reviewer": 4, "area chair": 6})
    assert one.summary.pairs == 18


def test_who_has_several_ids_is_one_reviewer_of_a_solution_also_where_nobody_has_a_conflict(tmp_path):
    scores = "".join(f"p{i},r{j},.{9 - j}\n" for i in range(3) for j in range(1, 5))
    live = Live(open_conferences(tmp_path), {"scores": scores, "quotas": "r1,1\nr2,3\n"})
    header = TableHeader(reviewers=("r1", "r2", "r3", "r4"), aliases={"r2": "r1"})

    def view():
        return replace(bare_view(live.now, sum_changes(live.now.events)), conflicts=ConflictTable((), header))

    def change(**asked):
        detail = detail_of(Change(**asked), view().manual, view().conflicts)
        with live.conferences.change(live.id, asked["action"], detail):
            pass

    def people():
        number = live.solve(view(), ConferenceSettings(demand=2, most=3, allow_short=True)).number
        return Counter(pair.reviewer for pair in load_pairs(live.now, number).pairs)

    assert people() == {"r1": 1, "r3": 3, "r4": 2}  # the smaller load
    assert known_inputs(view()).room["reviewer"].people + known_inputs(view()).room["reviewer"].limited == 3
    change(action="quota", quotas={"r2": 3})
    assert people() == {"r1": 3, "r3": 3}
    live.choose(2)
    change(action="forbid", paper="p0", reviewer="r3")
    (late,) = late_papers(view(), ScoreView(view()))
    assert (late.paper, late.missing, [row.reviewer for row in late.people]) == ("p0", 1, ["r4"])  # r1 has it, r2 is r1
    change(action="decline", reviewer="r2")
    assert people() == {"r3": 2, "r4": 3}


def test_who_has_several_ids_is_forbidden_under_all_of_them_until_freed_under_any():
    table = ConflictTable((), TableHeader(reviewers=("r1", "r2", "r3"), aliases={"r2": "r1"}))
    hand = ManualChanges()

    def change(action, reviewer, **more):
        asked = Change(action=action, paper="p1", reviewer=reviewer, **more)
        apply_detail(hand, detail_of(asked, hand, table))
        return dict(hand.pairs)

    assert change("forbid", "r2") == {("p1", "r1"): -1, ("p1", "r2"): -1}
    assert change("lock", "r1") == {("p1", "r1"): 1, ("p1", "r2"): 0}
    assert change("replace", "r2", other="r3") == {("p1", "r1"): -1, ("p1", "r2"): -1, ("p1", "r3"): 1}
    assert change("release", "r1") == {("p1", "r1"): 0, ("p1", "r2"): 0, ("p1", "r3"): 1}
    with pytest.raises(InputError, match=r"two reviewers: r1 = r2 is both"):
        change("replace", "r1", other="r2")
    hand.pairs["p2", "r2"] = 1
    gone = detail_of(Change(action="decline", reviewer="r1"), hand, table)
    assert (gone["pairs"], gone["quotas"]) == ([("p2", "r2", 0)], {"r1": 0, "r2": 0})
    told = event(1, "decline", gone)
    assert words_of(told, [told]) == "r1 declined altogether"
