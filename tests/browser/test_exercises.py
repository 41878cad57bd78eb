"""Exercises and interview questions: folds by keyboard and without scripts, and a print with solutions or without."""

import pytest

from tests.browser.looks import wrong_in_some_look

pytestmark = pytest.mark.browser

EXERCISES, INTERVIEW = "practice/check-yourself.html", "practice/interview.html"
FOLDS = {EXERCISES: "details.solution", INTERVIEW: "article details.sd-dropdown"}


def switch(page):
    return page.locator("button.solutions-switch")


@pytest.mark.parametrize("name", FOLDS, ids=["exercises", "interview"])
def test_an_answer_opens_and_closes_by_keyboard(opened, name):
    page = opened(name)
    fold = page.locator(FOLDS[name]).first
    content = fold.locator("p").first
    assert not content.is_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    content.wait_for(state="visible")
    page.keyboard.press("Space")
    content.wait_for(state="hidden")


@pytest.mark.parametrize("name", FOLDS, ids=["exercises", "interview"])
def test_every_answer_opens_without_scripts(opened, name):
    page = opened(name, java_script_enabled=False)
    folds = page.locator(FOLDS[name])
    assert folds.count() >= 11
    for fold in folds.all():
        content = fold.locator("p").first
        assert not content.is_visible()
        fold.locator("summary").first.click()
        assert content.is_visible()
    assert switch(page).count() == 0  # it would do nothing


def test_one_button_opens_all_solutions_and_closes_them(opened):
    page = opened(EXERCISES)
    everything, still_open = page.locator("details.solution").count(), page.locator("details.solution[open]")
    switch(page).focus()
    page.keyboard.press("Enter")
    assert still_open.count() == everything
    assert switch(page).inner_text() == "Close all solutions"
    page.keyboard.press("Enter")
    assert still_open.count() == 0
    assert switch(page).inner_text() == "Open all solutions for printing"
    # Opening all by hand counts too.
    page.evaluate("for (const fold of document.querySelectorAll('details.solution')) fold.open = true")
    page.wait_for_function("document.querySelector('.solutions-switch').textContent.startsWith('Close')")


def test_paper_gets_the_questions_and_only_the_solutions_that_are_open(opened):
    page = opened(EXERCISES)
    first, second = (page.locator("details.solution").nth(number) for number in (0, 1))
    first.locator("summary").click()
    page.emulate_media(media="print")
    assert first.locator("p").first.is_visible()
    assert not second.is_visible()
    assert page.locator("div.exercise").nth(1).is_visible()
    assert not switch(page).is_visible()


def test_a_question_and_its_fold_name_each_other(opened):
    page = opened(EXERCISES)
    for number, exercise in enumerate(page.locator("div.exercise").all(), 1):
        assert exercise.locator(".admonition-title").inner_text().startswith(f"Exercise {number} ")
        summary = page.locator("details.solution > summary").nth(number - 1)
        assert summary.inner_text().strip() == f"Solution to Exercise {number}"


@pytest.mark.parametrize("name", FOLDS, ids=["exercises", "interview"])
def test_open_answers_are_sound_and_no_wider_than_the_window(opened, name):
    page = opened(name)
    page.evaluate(f"for (const fold of document.querySelectorAll('{FOLDS[name]}')) fold.open = true")
    assert wrong_in_some_look(page, "article") == []
