"""A fault stands until its page is read, or written, again."""

from conf.live.faults import Faults


def test_a_fault_stands_until_its_own_page_and_phase_come_again():
    faults = Faults()
    faults.add("one", "reading", "one.md:1: bad word")
    faults.add("one", "writing", "one.md:2: no such label")
    faults.forget("two")
    faults.forget("one", "reading")
    assert list(faults) == ["one.md:2: no such label"]
    faults.forget("one")
    assert not list(faults)


def test_what_is_said_twice_is_one_fault():
    faults = Faults()
    faults.add("one", "reading", "same")
    faults.add("two", "reading", "same")
    assert list(faults) == ["same"]
