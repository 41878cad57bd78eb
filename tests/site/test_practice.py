"""What the practice pages promise: an answer to each question, and a link to where it is shown."""

import re

import pytest

from tests.site import built

pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def article():
    """A function that returns what is written on a page of the practice part."""
    site = built.required()
    return lambda name: built.Page(site, f"practice/{name}.html").article


def test_each_exercise_has_one_folded_solution_right_below_it(article):
    exercises = article("check-yourself").xpath(".//div[contains(@class, 'exercise')]")
    assert len(exercises) >= 12
    for exercise in exercises:
        label = exercise.get("id")
        below = exercise.getnext()
        assert below.tag == "details", label
        assert below.get("id") == label.replace("ex-", "sol-")
        assert below.get("open") is None, label


def test_each_solution_has_numbers_that_the_build_computed(article):
    for solution in article("check-yourself").xpath(".//details[contains(@class, 'solution')]"):
        assert solution.xpath(".//*[@data-expr and @data-value]"), solution.get("id")


def test_each_interview_question_has_a_grade_and_a_folded_answer_that_links_to_its_proof(article):
    grades = article("interview").xpath(".//section[h2]")
    assert [grade.xpath("string(h2)").split("#")[0].strip() for grade in grades] == ["Core", "Mid", "Senior"]
    questions = [question for grade in grades for question in grade.xpath("./section[h3]")]
    assert len(questions) >= 11
    for question in questions:
        (answer,) = question.xpath(".//details")
        assert answer.get("open") is None
        links = answer.xpath(".//a[contains(@class, 'internal')]/@href")
        assert any(re.match(r"\.\./lesson/[\w-]+\.html#", link) for link in links), question.get("id")


def test_each_video_says_who_speaks_and_what_to_watch_for(article):
    videos = article("watch-and-read").xpath(".//div[contains(concat(' ', @class, ' '), ' video ')]")
    assert len(videos) == 3
    for video in videos:
        title, facts, *words = (p.text_content().strip() for p in video.xpath("./p"))
        assert title
        assert facts
        assert any("Watch for" in text for text in words), title


def test_each_text_of_the_reading_list_is_in_the_bibliography(article):
    links = article("watch-and-read").xpath(".//section[@id='sec-read']//a/@href")
    assert sum("reference/bibliography.html#" in link for link in links) >= 20
