"""How long a figure takes to redraw in Chromium, at a quarter of this machine's speed. Run by ``nox -s bench``.

A benchmark, not a test. It needs the built site (``nox -s docs``) and Chromium. A redraw is what one step of a slider
costs: the model, the new SVG, and the style and layout that follow.
"""

import functools
import http.server
import os
import statistics
import sys
import threading
from pathlib import Path

import lxml.html

from tests.browser.chromium import CHROMIUM

SITE = Path(os.environ.get("ROOFLINE_SITE") or Path(__file__).parents[2] / "build" / "html")
SLOWDOWN = 4
TARGET = 16
STEPS = 40
#: Time every callback of a frame in which a figure redraws, with the layout that it causes.
WATCH = """
  window.redraws = [];
  const plain = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => plain((now) => {
    const start = performance.now();
    callback(now);
    document.body.offsetHeight;
    const took = performance.now() - start;
    if (callback.name === "redraw") window.redraws.push(took);
  });
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def figures():
    """Page and label of every interactive figure."""
    for page in sorted(SITE.rglob("*.html")):
        for panel in lxml.html.fromstring(page.read_bytes()).xpath('//*[contains(@class, "figure-panel")]'):
            yield page.relative_to(SITE).as_posix(), panel.get("data-label")


def measure(browser, address, path, label):
    """Return the times of some redraws, in milliseconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{address}{path}#{label}?")
    panel = page.locator(f'.figure-panel[data-label="{label}"]')
    panel.scroll_into_view_if_needed()
    page.wait_for_selector(f'.figure-panel[data-label="{label}"][data-live]')
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    slider = panel.locator(".control-number:not([hidden]) .control-slider").first
    slider.focus()
    page.evaluate("window.redraws.length = 0")
    for step in range(STEPS):
        page.keyboard.press("PageUp" if step % 8 < 4 else "PageDown")
        page.wait_for_timeout(40)
    times = page.evaluate("window.redraws")
    context.close()
    return times


def main() -> int:
    if not CHROMIUM or not SITE.is_dir():
        sys.stdout.write("redraws: not measured; install Chromium and run `nox -s docs` first\n")
        return 0
    from playwright.sync_api import sync_playwright

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    sys.stdout.write(f"a redraw at {SLOWDOWN}x slowdown, ms (target: under {TARGET})\n")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for path, label in figures():
            times = measure(browser, address, path, label)
            if times:
                middle, worst = statistics.median(times), max(times)
                sys.stdout.write(f"  {label:<28} median {middle:5.1f}  worst {worst:5.1f}  of {len(times)}\n")
        browser.close()
    server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
