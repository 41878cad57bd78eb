"""The review in Chromium: what is due and when, keys and names, and what becomes of the history."""

import datetime as dt
import json
import re

import pytest

from tests.browser.axe import violations
from tests.browser.looks import each_look, wrong_in_some_look

pytestmark = pytest.mark.browser

REVIEW, CARDS = "practice/review.html", "practice/cards.html"
MONDAY = dt.datetime(2026, 11, 30, 9, 0, tzinfo=dt.UTC)
KEY = "roofline:review"
FORBIDDEN = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }});"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('no', 'QuotaExceededError'); };"


@pytest.fixture
def reader(tabs):
    """A function that opens a page as a new reader does, on Monday; with the same options, in another tab."""

    def reader(path: str = REVIEW, script: str = "", at: dt.datetime = MONDAY, **options: object):
        settings = {"timezone_id": "UTC", "reduced_motion": "reduce"}
        page = tabs.open(path, script, before=lambda tab: tab.clock.install(time=at), **settings | options)
        if path == REVIEW and page.evaluate("document.documentElement.classList.contains('js')"):
            page.locator(".review-counts").wait_for()
        return page

    yield reader
    # Where storage is forbidden the theme's own scripts complain, which is not ours to mend.
    ours = [stack for stack in tabs.thrown if "/practice/" in stack]
    tabs.clean()
    assert ours == []


HEIGHTS = "buttons => buttons.map((button) => button.getBoundingClientRect().height)"


def counts(page) -> tuple[int, int, int]:
    """How many cards are due, new, and later."""
    return tuple(map(int, re.findall(r"(\d+) (?:due|new|later)", page.locator(".review-counts").inner_text())))


def size(page) -> int:
    return sum(counts(page))


def answer(page, key: str) -> str:
    """Show the answer to the card on the table and grade it; returns what the page says."""
    if page.locator(".review-start").is_visible():
        page.locator(".review-start").click()
    page.keyboard.press("Space")
    page.locator(".review-card .recall-back").wait_for()
    page.keyboard.press(key)
    return page.locator(".review-said").inner_text()


def kept(page) -> dict:
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}')"))["value"]["log"]


def answers(log: dict) -> int:
    return sum(len(entries) for entries in log.values())


def test_a_new_reader_learns_new_cards_in_the_order_of_the_deck(reader):
    page = reader()
    due, new, later = counts(page)
    assert (due, later) == (0, 0)
    assert new >= 20
    assert page.locator(".review-start").inner_text() == f"Learn {new} new cards"
    assert page.locator(".review-card").is_hidden()
    page.locator(".review-start").click()
    question = page.locator(".review-card .recall-front")
    assert "arithmetic intensity" in question.inner_text()
    assert page.locator(".review-card .recall-back").count() == 0
    answer(page, "3")
    assert counts(page) == (0, new - 1, 1)
    assert "arithmetic intensity" not in question.inner_text()


def test_all_of_it_works_by_keyboard(reader):
    page = reader()
    page.locator("article h1").click()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.review-start')"):
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('.review-card')")
    for key, name in (("1", "Again"), ("2", "Hard"), ("3", "Good"), ("4", "Easy")):
        page.keyboard.press("Space")
        assert page.evaluate("document.activeElement.matches('.review-card .recall-back')")
        page.keyboard.press(key)
        assert page.locator(".review-said").inner_text().startswith(f"{name}. That card comes back in ")
        assert page.evaluate("document.activeElement.matches('.review-card')")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.review-show')")
    page.keyboard.press("Space")
    assert page.locator(".review-card .recall-back").count() == 1
    grades = sorted(entries[0][1] for entries in kept(page).values())
    assert grades == [1, 2, 3, 4]


def test_keys_are_only_taken_from_the_card(reader):
    page = reader()
    page.locator(".review-start").click()
    page.keyboard.press("3")
    page.keyboard.press("Control+3")
    assert counts(page)[2] == 0, "a grade without having seen the answer"
    page.keyboard.press("Space")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("3")
    assert counts(page)[2] == 0
    page.locator(".review-history > summary").click()
    page.keyboard.press("3")
    assert counts(page)[2] == 0


def test_a_screen_reader_hears_names_and_what_happened(reader):
    page = reader()
    page.get_by_role("button", name=re.compile(r"^Learn \d+ new cards$")).click()
    card = page.get_by_role("group", name="Card, new")
    card.get_by_role("button", name="Show the answer", exact=True).click()
    card.get_by_role("group", name="Answer").wait_for()
    grades = card.get_by_role("group", name="How well did you know it?")
    for name in ("Again in 1 minute", "Hard in 6 minutes", "Easy in 8 days"):
        assert grades.get_by_role("button", name=name, exact=True).count() == 1
    grades.get_by_role("button", name="Good in 10 minutes", exact=True).click()
    assert page.get_by_role("status").filter(has_text="Good. That card comes back in 10 minutes.").count() == 1
    page.locator(".review-history > summary").click()
    assert page.get_by_label("Load from a file").count() == 1
    assert page.get_by_role("region", name="When each card is due").count() == 1


def test_a_number_on_a_card_shows_its_working(reader):
    page = reader()
    page.locator(".review-start").click()
    page.keyboard.press("Space")
    number = page.locator(".review-card .calc").first
    assert number.get_attribute("tabindex") == "0"
    number.hover()
    page.clock.run_for(1000)
    page.locator("#calc-tip").wait_for(state="visible")
    assert number.get_attribute("data-expr") in page.locator("#calc-tip").inner_text()


def test_links_of_a_card_lead_somewhere(reader):
    page = reader()
    page.locator(".review-start").click()
    page.keyboard.press("Space")
    page.locator(".review-card .recall-source a").click()
    page.locator("article h1, article h2").first.wait_for()
    assert "/lesson/" in page.url
    assert page.locator(f"[id='{page.url.partition('#')[2]}']").count() == 1


def test_dates_follow_the_clock(reader):
    page = reader()
    total = size(page)
    for _ in range(total - 1):
        answer(page, "4")
    assert answer(page, "3") == "Good. That card comes back in 10 minutes."
    assert counts(page) == (0, 0, total)
    assert "Nothing is due. The next card is due in 10 minutes." in page.locator(".review-counts").inner_text()
    assert page.locator(".review-start").is_hidden()
    assert page.evaluate("document.activeElement.matches('.review-counts')")

    page.clock.fast_forward(9 * 60 * 1000)
    assert counts(page) == (0, 0, total)
    page.clock.fast_forward(2 * 60 * 1000)  # it says so by itself, without a reload
    assert counts(page) == (1, 0, total - 1)
    assert page.locator(".review-start").inner_text() == "Review 1 card"
    assert answer(page, "3") == "Good. That card comes back in 2 days, on Wednesday 2 December."

    page.clock.fast_forward(7 * 24 * 60 * 60 * 1000)  # early on the day, eight days after
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert counts(page)[0] == 1
    page.clock.fast_forward(15 * 60 * 60 * 1000)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert counts(page) == (total, 0, 0)
    assert page.locator(".review-start").inner_text() == f"Review {total} cards"


def test_a_card_that_is_known_comes_back_later_each_time(reader):
    page = reader()
    waits = page.evaluate(
        """async () => {
          const { give } = await import(new URL("../_static/practice/deck.js", location.href));
          let now = Date.UTC(2026, 10, 30, 9);
          const waits = [];
          for (const grade of [3, 3, 3, 3, 3, 1, 3]) {
            const { time, due } = give("card-ridge-h100", grade, now);
            waits.push((due - time) / 86400000);
            now = due;
          }
          return waits;
        }"""
    )
    assert waits[0] * 24 * 60 == pytest.approx(10)
    assert waits[1] < waits[2] < waits[3] < waits[4]
    assert waits[4] > 14
    assert waits[5] * 24 * 60 == pytest.approx(10)
    assert 0 < waits[6] < waits[4], "a slip costs"


def test_a_clock_that_was_set_back_breaks_nothing(reader):
    page = reader()
    answer(page, "3")
    past = reader(at=MONDAY - dt.timedelta(days=400))
    assert counts(past)[2] == 1
    past.evaluate(
        """async () => {
          const { give } = await import(new URL("../_static/practice/deck.js", location.href));
          for (const grade of [1, 4]) give("card-intensity", grade);
        }"""
    )
    times = [time for time, _ in kept(past)["card-intensity"]]
    assert times == sorted(set(times))
    assert len(times) == 3


def test_a_grade_can_be_taken_back(reader):
    page = reader()
    page.locator(".review-start").click()
    question = page.locator(".review-card .recall-front").inner_text()
    answer(page, "1")
    page.get_by_role("button", name="Take back “Again”").click()
    assert page.locator(".review-said").inner_text() == "“Again” is taken back."
    assert page.locator(".review-card .recall-front").inner_text() == question
    assert counts(page)[2] == 0
    answer(page, "4")
    page.reload()
    page.locator(".review-counts").wait_for()
    assert counts(page)[2] == 1


def test_a_reload_loses_nothing(reader):
    page = reader()
    for key in "1234":
        answer(page, key)
    before = counts(page)
    page.reload()
    page.locator(".review-counts").wait_for()
    assert counts(page) == before
    assert before[2] == 4
    assert page.locator(".review-notice").is_hidden()


def test_a_grade_on_the_page_of_the_cards_counts(reader):
    page = reader(CARDS)
    card = page.locator("#card-ridge-h100")
    assert card.get_by_role("button").count() == 0
    card.locator("summary").click()
    card.get_by_role("button", name="Easy in 8 days", exact=True).click()
    said = card.get_by_role("status")
    assert said.inner_text() == "Easy. The review shows this card again in 8 days, on Tuesday 8 December."
    review = reader()
    assert counts(review)[2] == 1
    card.get_by_role("button", name="Take it back").click()
    assert said.inner_text() == "Taken back."
    review.wait_for_function("document.querySelector('.review-counts').textContent.includes(' 0 later')")


def test_two_tabs_know_the_same(reader):
    first = reader()
    second = reader()
    first.locator(".review-start").click()
    second.locator(".review-start").click()
    answer(first, "4")
    second.wait_for_function("document.querySelector('.review-said').textContent !== ''")
    assert second.locator(".review-said").inner_text() == "You graded that card elsewhere."
    assert counts(second) == counts(first)
    assert (
        second.locator(".review-card .recall-front").inner_text()
        == first.locator(".review-card .recall-front").inner_text()
    )
    answer(second, "4")
    first.wait_for_function("document.querySelector('.review-counts').textContent.includes(' 2 later')")
    assert answers(kept(first)) == 2


def test_two_tabs_that_write_at_once_lose_nothing(reader):
    first = reader()
    answer(first, "3")
    second = reader()
    mine = kept(first)
    # The second tab had not heard of the first, and wrote over it.
    theirs = {"version": 1, "value": {"log": {"card-ridge-a100": [[1790000000000, 4]]}}}
    second.evaluate(f"text => localStorage.setItem('{KEY}', text)", json.dumps(theirs))
    first.wait_for_function(f"Object.keys(JSON.parse(localStorage.getItem('{KEY}')).value.log).length === 2")
    assert kept(first) == mine | theirs["value"]["log"]


@pytest.mark.parametrize(
    ("script", "words"),
    [(FORBIDDEN, "does not let the page keep anything"), (FULL, "has no room left")],
    ids=["forbidden", "full"],
)
def test_where_nothing_can_be_kept_the_review_works_and_says_so(reader, script, words):
    page = reader(script=script)
    said = [answer(page, key) for key in ("4", "3")]
    assert counts(page)[2] == 2
    assert words in said[1]
    assert words in page.get_by_role("alert").inner_text()
    assert violations(page, within=[".review"]) == []

    cards = reader(CARDS, script)
    card = cards.locator("#card-ridge-h100")
    card.locator("summary").click()
    card.get_by_role("button", name=re.compile("^Good")).click()
    assert words in card.get_by_role("status").inner_text()


def test_room_that_comes_back_is_used(reader):
    page = reader(script="window.whole = Storage.prototype.setItem;" + FULL)
    answer(page, "4")
    page.evaluate("() => { Storage.prototype.setItem = window.whole; }")
    answer(page, "4")
    assert page.locator(".review-notice").is_hidden()
    assert answers(kept(page)) == 2


def test_a_store_that_cannot_be_read_is_set_aside_and_named(reader):
    page = reader()
    for text in (
        '{"version": 1, "value": {"log": []}}',
        '{"version": 1, "value": {"log": {"card-x": [[1, 9]]}}}',
        '{"version": 1}',
        "null",
        "{",
    ):
        page.evaluate(f"text => {{ localStorage.clear(); localStorage.setItem('{KEY}', text); }}", text)
        page.reload()
        page.locator(".review-counts").wait_for()
        assert "could not be read" in page.get_by_role("alert").inner_text(), text
        assert page.evaluate(f"localStorage.getItem('{KEY}:corrupt')") == text
        answer(page, "4")
        assert counts(page)[2] == 1
    page.reload()
    page.locator(".review-counts").wait_for()
    assert counts(page)[2] == 1
    assert "could not be read" in page.get_by_role("alert").inner_text()
    assert violations(page, within=[".review"]) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the unreadable text").click()
    assert download.value.path().read_text(encoding="utf-8") == text
    page.get_by_role("button", name="Delete it").click()
    assert page.locator(".review-notice").is_hidden()
    assert page.evaluate(f"localStorage.getItem('{KEY}:corrupt')") is None
    assert counts(page)[2] == 1


def save(page, folder):
    page.locator(".review-history > summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save to a file").click()
    assert download.value.suggested_filename == "roofline-review.json"
    download.value.save_as(folder / "history.json")
    return folder / "history.json"


def test_a_file_takes_the_history_to_another_browser(reader, tmp_path):
    home = reader()
    for key in "134":
        answer(home, key)
    file = save(home, tmp_path)

    away = reader(timezone_id="Asia/Tokyo")  # in a window of its own
    answer(away, "4")
    theirs = kept(away)
    away.locator(".review-history > summary").click()
    for _ in range(2):  # loading it twice counts nothing twice
        away.get_by_label("Load from a file").set_input_files(file)
        away.get_by_text("The file is loaded").wait_for()
        assert counts(away)[2] == 3
        joined = kept(away)
        assert answers(joined) == 4
        for log in (theirs, kept(home)):
            assert all(entry in joined[card] for card, entries in log.items() for entry in entries)


def test_a_file_that_is_not_right_changes_nothing(reader):
    page = reader()
    answer(page, "4")
    before = kept(page)
    page.locator(".review-history > summary").click()
    for text, words in (
        ("no JSON", "it is not JSON"),
        ("[]", "is not one that this page saved"),
        ('{"store": "roofline:review", "version": 99, "value": {"log": {}}}', "newer version"),
        ('{"store": "roofline:progress", "version": 1, "value": {}}', "is not one that this page saved"),
        ('{"store": "roofline:review", "version": 1, "value": {"log": {"card-x": 3}}}', "damaged"),
    ):
        page.get_by_label("Load from a file").set_input_files(
            {"name": "x.json", "mimeType": "application/json", "buffer": text.encode()}
        )
        # Each says something else than the one before it.
        page.locator(".review-history [role=status]").filter(has_text=words).get_by_text(
            "Nothing was changed."
        ).wait_for()
        assert kept(page) == before


def test_everything_can_be_forgotten_after_a_question(reader):
    page = reader()
    answer(page, "4")
    page.locator(".review-history > summary").click()
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Forget everything").click()
    assert counts(page)[2] == 1
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget everything").click()
    page.get_by_text("Everything is forgotten.").wait_for()
    assert counts(page)[2] == 0
    assert page.evaluate(f"localStorage.getItem('{KEY}')") is None


def test_an_update_of_the_deck_loses_no_history(reader, lesson_address):
    page = reader()
    total = size(page)
    for _ in range(3):
        answer(page, "4")
    before = kept(page)
    whole = page.request.get(f"{lesson_address}practice/cards.json").json()

    changed = {"cards": [*whole["cards"][1:], whole["cards"][1] | {"id": "card-brand-new"}]}
    changed["cards"][0] = changed["cards"][0] | {"front": "<p>In other words?</p>"}
    page.context.route("**/practice/cards.json", lambda route: route.fulfill(json=changed))
    later = reader()
    assert size(later) == total
    assert counts(later) == (0, total - 2, 2)
    later.locator(".review-history > summary").click()
    assert later.get_by_text("1 card that you graded is no longer in the deck. The history is kept.").is_visible()
    answer(later, "4")
    assert before.items() <= kept(later).items()

    page.context.unroute("**/practice/cards.json")
    back = reader()
    assert counts(back)[2] == 4, "the card that came back has its date"


def test_a_missing_deck_is_reported(reader):
    page = reader(CARDS)
    page.context.route("**/practice/cards.json", lambda route: route.fulfill(status=404))
    page.goto(page.url.replace("cards.html", "review.html"))
    assert "The review cannot start: the deck is missing" in page.get_by_role("alert").inner_text()


def test_without_javascript_the_page_says_where_the_cards_are(reader):
    page = reader(java_script_enabled=False)
    place = page.locator(".review")
    assert "needs JavaScript" in place.inner_text()
    place.get_by_role("link", name="the cards").click()
    card = page.locator("#card-ridge-h100")
    assert not card.locator(".recall-back").is_visible()
    card.locator("summary").click()
    assert "295" in card.locator(".recall-back").inner_text()
    assert card.get_by_role("button").count() == 0


def test_both_pages_offer_the_deck_for_anki(reader):
    for path in (REVIEW, CARDS):
        page = reader(path)
        with page.expect_download() as download:
            page.locator("a.anki-deck").first.click()
        assert download.value.suggested_filename == "roofline-lesson.apkg"
        assert download.value.path().read_bytes().startswith(b"PK")


def test_paper_shows_question_and_answer(reader):
    page = reader(CARDS)
    page.emulate_media(media="print")
    card = page.locator("#card-ridge-h100")
    assert card.locator(".recall-back").is_visible()
    assert card.locator("summary").is_hidden()


def test_each_state_is_accessible_and_fits(reader):
    """The rest of each page is looked at with all other pages."""
    page = reader()
    page.locator(".review-start").click()
    wrong = wrong_in_some_look(page, ".review")
    page.keyboard.press("Space")
    wrong += wrong_in_some_look(page, ".review")
    page.keyboard.press("3")
    page.locator(".review-history > summary").click()
    wrong += wrong_in_some_look(page, ".review")
    for where, _ in each_look(page):
        heights = page.locator(".review button:visible").evaluate_all(HEIGHTS)
        assert min(heights) >= 24, where

    page = reader(CARDS)
    page.evaluate("document.querySelectorAll('.recall-card details').forEach(fold => { fold.open = true; })")
    page.locator("#card-ridge-h100 button").first.click()
    wrong += wrong_in_some_look(page, ".recall-card")
    assert wrong == []
