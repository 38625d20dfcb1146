"""The people of a list as a committee: stable ids, decisions by address, profiles that are joined."""

import pytest
from panel_support import at, make_finder, paper

from panelist.corpus.readers.committee import people_list
from panelist.errors import InputError
from retriever.conference.matching import PeopleMatcher
from retriever.conference.roster import found_in_words, list_people, settle

LIST = "name,email\nMary Somerville,mary@x.org\nWei Wang,wei@x.org\nGrace Hopper,\n"


@pytest.fixture(scope="module")
def matcher(tmp_path_factory):
    papers = [
        paper(f"p{n}", at(key, name=name))
        for n, (key, name) in enumerate([("m1", "Mary Somerville"), ("w1", "Wei Wang"), ("w2", "Wei Wang")])
    ]
    with make_finder(tmp_path_factory.mktemp("roster"), papers) as finder:
        yield PeopleMatcher(finder.index, finder.corpus)


def listed(matcher, text, before=()):
    return list_people(people_list(text), matcher, before)


def test_people_are_called_as_the_list_calls_them_and_profiles_are_other_ids(matcher):
    mary, wei, grace = listed(matcher, LIST)
    assert [each.id for each in (mary, wei, grace)] == ["mary@x.org", "wei@x.org", "Grace_Hopper"]
    assert [each.state for each in (mary, wei, grace)] == ["probable", "open", "none"]
    assert (mary.member.name, mary.member.email, mary.member.aliases) == ("Mary Somerville", "mary@x.org", ("m1",))
    assert found_in_words([mary, wei, grace]).startswith("3 people: 1 found probably, 1 open")


def test_what_was_settled_is_remembered_by_the_address_when_a_list_comes_again(matcher):
    settled = settle(listed(matcher, LIST), {"wei@x.org": ["w1", "w2"], "Grace_Hopper": []}, matcher)
    assert [each.state for each in settled] == ["probable", "settled", "settled"]
    again = listed(matcher, "email;name\nWEI@x.org;Wang, Wei\n;Mary Somerville", settled)
    assert [(each.id, each.state, each.member.aliases) for each in again] == [
        ("wei@x.org", "settled", ("w1", "w2")),
        ("Mary_Somerville", "probable", ("m1",)),
    ]
    changed = settle(again, {"wei@x.org": ["w2"]}, matcher)[0]
    assert (changed.id, changed.member.aliases) == ("wei@x.org", ("w2",))
    assert {profile.author.id for profile in changed.match.profiles} == {"w1", "w2"}


def test_two_people_of_one_name_without_an_address_stay_two(matcher):
    one, other = listed(matcher, "name\nWei Wang\nWei Wang")
    assert (one.id, other.id) == ("Wei_Wang", "Wei_Wang_2")
    before = settle([one, other], {"Wei_Wang": ["w1"]}, matcher)
    assert [each.state for each in listed(matcher, "name\nWei Wang\nWei Wang", before)] == ["open", "open"]


def test_lines_of_one_address_are_one_person_with_all_ids(matcher):
    (both,) = listed(matcher, "reviewer,email\nw1,wei@x.org\nw2,wei@x.org\n")
    assert (both.id, both.member.aliases) == ("w1", ("w2",))


def test_lines_of_one_person_without_an_address_say_whose_they_are(matcher):
    one, both = listed(matcher, "reviewer,name,same_as\nm1,Mary Somerville,\nw1,Wei Wang,\nw2,Wei Wang,w1\n")
    assert [(each.id, each.member.aliases) for each in (one, both)] == [("m1", ()), ("w1", ("w2",))]


def test_nobody_is_settled_who_is_not_there(matcher):
    people = listed(matcher, LIST)
    with pytest.raises(InputError, match="nobody of the committee's list is called 'x'"):
        settle(people, {"x": []}, matcher)
    with pytest.raises(InputError, match="nobody with the id 'w9'"):
        settle(people, {"wei@x.org": ["w9"]}, matcher)


def test_a_person_is_known_by_the_number_that_easychair_gives_authors_too(matcher):
    (mary,) = listed(matcher, "#,person #,first name,last name,email\n11,71,Mary,Somerville,mary@x.org\n")
    assert (mary.id, mary.member.aliases) == ("11", ("m1", "easychair:71"))
