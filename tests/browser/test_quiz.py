"""Quick checks, predictions and progress in Chromium, on the pages of the lesson."""

import json
import re

import pytest

from tests.browser.looks import PHONE, wrong_in_some_look

pytestmark = pytest.mark.browser

CHECKS = "lesson/ridge-points.html"
TWO_CHECKS = "lesson/definitions.html"
START = "lesson/index.html"
ANSWERS = "lesson/one-layer.html"
QUESTION = "What do you expect on an H100, roughly?"
SLIP = "The FLOP/s ratio for a memory-bound kernel."
KEY = "roofline:progress"

FORBIDDEN = """Object.defineProperty(globalThis, "localStorage", {
  get() { throw new DOMException("The operation is insecure.", "SecurityError") } })"""
FULL = """Storage.prototype.setItem = () => { throw new DOMException("Full.", "QuotaExceededError") }"""


class Check:
    """One quick check of a page."""

    def __init__(self, page, label: str = "check-rmsnorm-moves") -> None:
        self.page = page
        self.root = page.locator(f"#{label}")
        self.button = self.root.get_by_role("button")
        self.status = self.root.get_by_role("status")
        self.options = self.root.locator("label")
        self.radios = self.root.get_by_role("radio")
        self.button.wait_for()

    def answer(self, number: int) -> str:
        self.options.nth(number).click()
        self.button.click()
        return self.status.inner_text()


#: Chooses one answer after the other; returns the right one, and what is said to each.
ANSWER_ALL = """root => {
  const button = root.querySelector("button");
  const said = [...root.querySelectorAll("input[type=radio]")].map((radio) => {
    radio.click();
    button.click();
    const words = root.querySelector("[role=status]").innerText;
    button.click();
    return [radio.value, words];
  });
  return [root.querySelector("[data-right]").dataset.option, said];
}"""


def kept(page) -> dict:
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}')") or '{"value": {}}')["value"]


def the_end(page) -> None:
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_function("key => /pages.*lesson/.test(localStorage.getItem(key))", arg=KEY)


# -- Quick checks ------------------------------------------------------------------------------------------------------


def test_a_wrong_answer_gets_its_own_explanation_and_another_try(opened):
    check = Check(opened(CHECKS))
    assert check.status.inner_text() == ""
    said = check.answer(0)
    assert said.startswith("Not this one.")
    assert SLIP in said
    assert "ratio of the bandwidths" not in said
    assert check.button.inner_text() == "Try again"
    assert kept(check.page) == {}
    check.button.click()
    assert check.status.inner_text() == ""
    assert not check.radios.first.is_checked()
    assert "The ratio the wrong way round." in check.answer(3)


def test_the_right_answer_is_explained_and_remembered(opened):
    check = Check(opened(CHECKS))
    check.answer(0)
    check.options.nth(1).click()
    assert check.button.inner_text() == "Check"
    check.button.click()
    said = check.status.inner_text()
    assert said.startswith("Right.")
    assert "Not this one" not in said
    assert kept(check.page)["checks"] == {"check-rmsnorm-moves": True}

    check.page.reload()
    again = Check(check.page)
    assert again.status.inner_text().startswith("You had this one right.")
    assert again.radios.nth(1).is_checked()
    again.button.click()
    assert again.status.inner_text() == ""
    assert again.answer(2).startswith("Not this one.")
    assert kept(check.page)["checks"] == {"check-rmsnorm-moves": True}


def test_an_explanation_shows_where_its_numbers_come_from(opened):
    check = Check(opened(CHECKS))
    check.answer(0)
    check.status.locator(".calc").first.hover()
    tip = check.page.locator("#calc-tip")
    tip.wait_for(state="visible")
    assert "H100.peak / A100.peak" in tip.inner_text()


def test_without_a_choice_it_asks_for_one(opened):
    check = Check(opened(CHECKS))
    check.button.click()
    assert check.status.inner_text() == "Choose one of the answers first."
    assert check.button.inner_text() == "Check"


def test_the_keyboard_alone_is_enough(opened):
    check = Check(opened(CHECKS))
    page, press = check.page, check.page.keyboard.press
    check.radios.first.focus()
    press("Space")
    press("ArrowDown")
    assert check.radios.nth(1).is_checked()
    press("ArrowUp")
    press("Enter")
    assert SLIP in check.status.inner_text()
    press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Try again"
    press("Enter")
    assert page.evaluate("document.activeElement.value") == "a"
    assert not check.radios.first.is_checked()
    press("Space")
    press("ArrowDown")
    press("Tab")
    press("Space")
    assert check.status.inner_text().startswith("Right.")


def test_a_finger_is_enough(opened):
    page = opened(CHECKS, viewport=PHONE, has_touch=True, is_mobile=True)
    check = Check(page)
    for number in range(4):
        box = check.options.nth(number).bounding_box()
        assert box["height"] >= 24
    check.options.nth(0).tap()
    check.button.tap()
    assert SLIP in check.status.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_screen_reader_has_a_name_for_everything(opened):
    page = opened(CHECKS)
    check = Check(page)
    group = page.get_by_role("group", name=QUESTION, exact=True)
    assert group.count() == 1
    names = ["32 µs", "61 µs", "100 µs, as before", "164 µs"]
    for name in names:
        assert group.get_by_role("radio", name=name.replace(" µs", "\u00a0µs"), exact=True).count() == 1
    assert check.root.get_by_role("button", name="Check", exact=True).count() == 1
    assert check.status.get_attribute("aria-live") == "off"  # nothing that the page says by itself is read out
    check.radios.first.focus()
    assert check.status.get_attribute("aria-live") is None


def test_without_scripts_the_answers_are_under_a_fold(opened):
    page = opened(CHECKS, java_script_enabled=False)
    root = page.locator("#check-rmsnorm-moves")
    assert root.locator("button").is_hidden()
    assert root.get_by_text(SLIP).is_hidden()
    root.locator("summary").click()
    explanations = root.locator(".practice-explanation")
    assert explanations.count() == 4
    assert all(explanation.is_visible() for explanation in explanations.all())
    assert explanations.first.inner_text().startswith("Right: 61\u00a0µs")


def test_with_scripts_there_is_no_fold_that_tells(opened):
    check = Check(opened(CHECKS))
    assert check.root.locator("details").is_hidden()
    assert check.root.get_by_text(SLIP).is_hidden()


def test_every_check_of_the_lesson_can_be_answered(opened, lesson_address):
    page = opened("index.html")
    lines = page.locator(".progress-line")
    pages = lines.evaluate_all("lines => lines.map(line => [line.dataset.page, line.dataset.checks.split(' ')])")
    assert len(pages) >= 11
    for name, labels in pages:
        page.goto(f"{lesson_address}{name}.html")
        for label in labels:
            right, said = Check(page, label).root.evaluate(ANSWER_ALL)
            for letter, words in said:
                assert words.startswith("Right." if letter == right else "Not this one."), (label, letter)
                assert len(words) > 40
    assert set(kept(page)["checks"]) == {label for _, labels in pages for label in labels}


def test_an_answer_shows_in_a_second_tab_and_two_tabs_add_up(opened):
    one, two = opened(TWO_CHECKS), opened(TWO_CHECKS)
    here, there = Check(one, "check-twice-the-flops"), Check(two, "check-twice-the-flops")
    other = Check(two, "check-what-a-bound-says")
    here.answer(3)
    there.status.get_by_text("You had this one right.").wait_for()
    other.answer(2)
    assert set(kept(one)["checks"]) == {"check-twice-the-flops", "check-what-a-bound-says"}


def test_a_second_tab_does_not_take_away_what_the_reader_is_doing(opened):
    here, there = Check(opened(CHECKS)), Check(opened(CHECKS))
    there.answer(0)
    here.answer(1)
    there.page.wait_for_timeout(200)
    assert SLIP in there.status.inner_text()
    assert there.radios.first.is_checked()


@pytest.mark.parametrize(("script", "words"), [(FORBIDDEN, "does not let the page keep"), (FULL, "has no room left")])
def test_without_storage_it_works_and_says_so(opened, script, words):
    check = Check(opened(CHECKS, script))
    assert SLIP in check.answer(0)
    said = check.answer(1)
    assert said.startswith("Right.")
    assert words in said


def test_a_damaged_store_is_set_aside(opened):
    page = opened(CHECKS)
    page.evaluate(f"localStorage.setItem('{KEY}', '{{\"version\": 1, \"value\": [')")
    page.reload()
    said = Check(page).answer(1)
    assert "could not be read" in said
    assert page.evaluate(f"localStorage.getItem('{KEY}:corrupt')").endswith("[")
    assert kept(page)["checks"] == {"check-rmsnorm-moves": True}


def test_nothing_is_sent_anywhere(opened):
    check = Check(opened(CHECKS))
    check.page.wait_for_load_state("networkidle")
    sent = []
    check.page.on("request", lambda request: sent.append(request.url))
    check.answer(0)
    check.answer(1)
    the_end(check.page)
    assert sent == []


def test_on_paper_the_question_stands_alone(opened):
    check = Check(opened(CHECKS))
    check.page.emulate_media(media="print")
    assert check.root.locator("legend").is_visible()
    assert check.options.first.is_visible()
    assert check.button.is_hidden()


# -- Predictions -------------------------------------------------------------------------------------------------------


def commit(page, label: str, guess: str) -> None:
    root = page.locator(f"#{label}")
    if label == "predict-batch":
        root.get_by_role("radio", name=guess, exact=True).check()
    else:
        root.get_by_role("textbox").fill(guess)
    root.get_by_role("button", name="Commit").click()


def test_a_guess_comes_back_beside_the_answer_with_a_fair_remark(opened):
    start, said = opened(START), None
    for guess, shown, remark in (
        ("1.6", "1.6", "is right"),
        ("1,7", "1.7", "is right"),
        ("3×", "3", "ratio of the FLOP/s"),
        ("1", "1", "no gain at all"),
        ("1.3", "1.3", "too modest"),
        ("0.2", "0.2", "too modest"),
        ("2.2", "2.2", "lets the FLOP/s in"),
        ("1000", "1000", "lets the FLOP/s in"),
    ):
        commit(start, "predict-relu", guess)
        # The first is there when the page opens; of the others it hears while it is open.
        said = said or opened(ANSWERS).locator(".comparison").first
        said.get_by_text(f"Your guess: {shown} times as fast", exact=True).wait_for()
        text = said.inner_text()
        assert remark in text, guess
        assert len(text.splitlines()) <= 4  # one remark and no other
        assert said.locator("details").is_hidden()
        start.locator("#predict-relu").get_by_role("button", name="Change my guess").click()


def test_a_choice_comes_back_too(opened):
    commit(opened(START), "predict-batch", "30")
    said = opened(ANSWERS).locator(".comparison").nth(1)
    assert said.inner_text().startswith("Your guess: 30\n")
    assert "10%" in said.inner_text()


def test_a_guess_is_kept_and_can_be_changed(opened):
    page = opened(START)
    commit(page, "predict-relu", "2,5")
    page.reload()
    root = page.locator("#predict-relu")
    assert "Your guess is noted: 2.5 times as fast." in root.get_by_role("status").inner_text()
    assert root.get_by_role("textbox").is_disabled()
    root.get_by_role("button", name="Change my guess").click()
    assert page.evaluate("document.activeElement.value") == "2.5"
    page.keyboard.press("Control+A")
    page.keyboard.type("1.5")
    page.keyboard.press("Enter")
    assert kept(page)["guesses"]["predict-relu"] == {"number": 1.5, "shown": "1.5 times as fast"}
    assert page.evaluate("document.activeElement.textContent") == "Change my guess"


def test_what_is_no_guess_is_not_taken(opened):
    page = opened(START)
    root = page.locator("#predict-relu")
    for guess in ("", "fast", "-3", "0", "1e999"):
        commit(page, "predict-relu", guess)
        assert "Write a number above 0" in root.get_by_role("status").inner_text(), guess
        assert root.get_by_role("textbox").get_attribute("aria-invalid") == "true"
        assert kept(page) == {}
        assert page.evaluate("document.activeElement.localName") == "input"
        page.reload()


def test_without_a_guess_the_remarks_can_still_be_read(opened):
    said = opened(ANSWERS).locator(".comparison").first
    said.get_by_text("You have not committed a guess to this one.").wait_for()
    said.locator("summary").click()
    assert said.get_by_text("ratio of the FLOP/s").is_visible()


def test_a_prediction_has_names_and_is_text_without_scripts(opened):
    page = opened(START)
    group = page.get_by_role("group", name="How many times faster does the ReLU get?", exact=True)
    assert group.get_by_role("textbox", name="Your guess: times as fast").count() == 1
    group = page.get_by_role("group", name="Is it nearer to 3, 30, 300 or 3000?", exact=True)
    assert group.get_by_role("radio").count() == 4

    page = opened(START, java_script_enabled=False)
    root = page.locator("#predict-batch")
    assert root.locator("legend").is_visible()
    assert root.locator("input, button").filter(visible=True).count() == 0
    page = opened(ANSWERS, java_script_enabled=False)
    assert page.locator(".comparison summary").first.is_visible()


def test_a_guess_without_storage_is_taken_and_the_reader_told(opened):
    page = opened(START, FORBIDDEN)
    commit(page, "predict-relu", "2")
    said = page.locator("#predict-relu").get_by_role("status").inner_text()
    assert "Your guess is noted" in said
    assert "lost when you close the page" in said


def test_numbers_are_read_as_people_write_them(opened):
    page = opened("search.html")
    read = page.evaluate(
        "([address, texts]) => import(address).then(({ numberIn }) => texts.map((text) => numberIn(text)))",
        [f"{page.url.rsplit('/', 1)[0]}/_static/practice/quiz.js", ["1.6", " 1,6 ", "1,000", "2x", "3 ×", ".5", "3e2"]],
    )
    assert read == [1.6, 1.6, 1000, 2, 3, 0.5, 300]


# -- Progress ----------------------------------------------------------------------------------------------------------


def line(page, name: str) -> str:
    return page.locator(f".progress-line[data-page='{name}']").inner_text()


def test_a_page_is_read_when_its_end_has_been_reached(opened):
    page = opened(TWO_CHECKS)
    page.wait_for_timeout(300)
    assert "lesson/definitions" not in kept(page).get("pages", {})
    the_end(page)
    Check(page, "check-twice-the-flops").answer(3)
    contents = opened("index.html")
    assert line(contents, "lesson/definitions") == "(read, checks 1 of 2)"
    assert line(contents, "lesson/picture") == ""
    Check(page, "check-what-a-bound-says").answer(2)
    contents.get_by_text("(read, checks 2 of 2)").wait_for()


def test_a_new_reader_sees_a_plain_list(opened):
    page = opened("index.html")
    page.wait_for_load_state("networkidle")
    assert page.locator(".progress-line").filter(has_text=re.compile(".")).count() == 0
    assert page.get_by_role("button", name="Clear my progress").count() == 0
    assert page.locator(".progress-cards").is_hidden()


def test_clearing_asks_once_and_forgets(opened):
    reading = opened(CHECKS)
    check = Check(reading)
    check.answer(1)
    page = opened("index.html")
    clear = page.get_by_role("button", name="Clear my progress")
    clear.click()
    assert page.evaluate("document.activeElement.textContent") == "No, keep them"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Clear my progress"
    assert line(page, "lesson/ridge-points") == "(check passed)"
    clear.click()
    page.get_by_role("button", name="Yes, forget them").click()
    assert line(page, "lesson/ridge-points") == ""
    assert page.locator(".progress-said").inner_text() == "Forgotten."
    assert page.evaluate("document.activeElement.className") == "progress-said"
    assert kept(page) == {}
    assert check.status.inner_text().startswith("Right.")  # what the reader has just done stays on the page
    reading.reload()
    assert Check(reading).status.inner_text() == ""


def test_a_remembered_answer_goes_when_another_tab_clears(opened):
    Check(opened(CHECKS)).answer(1)
    remembered = Check(opened(CHECKS))
    remembered.status.get_by_text("You had this one right.").wait_for()
    page = opened("index.html")
    page.get_by_role("button", name="Clear my progress").click()
    page.get_by_role("button", name="Yes, forget them").click()
    remembered.page.wait_for_function("document.querySelector('#check-rmsnorm-moves input:checked') === null")
    assert remembered.status.inner_text() == ""


def test_the_contents_say_how_many_cards_are_due(opened):
    page = opened("index.html")
    deck = page.locator(".progress-controls").get_attribute("data-deck")
    assert deck, "the contents page does not know the deck"
    ids = page.evaluate("address => fetch(address).then(r => r.json()).then(d => d.cards.map(card => card.id))", deck)
    ago = page.evaluate("Date.now()") - 30 * 24 * 3600 * 1000
    value = {"version": 1, "value": {"log": {ids[0]: [[ago, 1]], ids[1]: [[ago, 1]], "card-that-left": [[ago, 1]]}}}
    page.evaluate("text => localStorage.setItem('roofline:review', text)", json.dumps(value))
    page.reload()
    due = page.get_by_role("link", name="2 cards are due")
    due.wait_for()
    assert due.get_attribute("href") == "practice/review.html"


@pytest.mark.parametrize("script", [FORBIDDEN, FULL])
def test_without_storage_the_contents_are_a_list(opened, script):
    page = opened("index.html", script)
    assert page.locator("ol.progress-pages li").count() >= 11
    page.wait_for_load_state("networkidle")
    assert page.locator(".progress-line").filter(has_text=re.compile(".")).count() == 0


# -- All of it ---------------------------------------------------------------------------------------------------------


def test_axe_finds_nothing_in_what_the_reader_has_changed(opened):
    """The rest of each page is looked at with all other pages."""
    page = opened(TWO_CHECKS)
    Check(page, "check-twice-the-flops").answer(3)
    Check(page, "check-what-a-bound-says").answer(0)
    wrong = wrong_in_some_look(page, ".quick-check")
    page = opened(START)
    commit(page, "predict-relu", "nothing")
    wrong += wrong_in_some_look(page, ".prediction")
    commit(page, "predict-relu", "2")
    commit(page, "predict-batch", "300")
    wrong += wrong_in_some_look(page, ".prediction")
    page = opened(ANSWERS)
    page.get_by_text("Your guess: 300").wait_for()
    wrong += wrong_in_some_look(page, ".comparison")
    page = opened("index.html")
    page.get_by_role("button", name="Clear my progress").click()
    wrong += wrong_in_some_look(page, ".progress-pages", ".progress-controls")
    assert wrong == []
