"""Serve the site, and build it again whenever a file is saved: `nox -s live` runs this."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import queue
import sys
import threading
import time
import webbrowser
from pathlib import Path

import watchfiles

from conf.live.server import Server
from conf.live.site import CODE, OUTPUT, Site


def main() -> None:
    """Build, serve and watch the folder that this is started in, until Ctrl+C."""
    parser = argparse.ArgumentParser(prog="nox -s live --", description=__doc__, allow_abbrev=False)
    parser.add_argument("--port", type=int, default=8000, help="0 is any free one")
    parser.add_argument("--no-browser", action="store_true", help="open none")
    options = parser.parse_args()
    os.environ["MPLBACKEND"] = "agg"
    sys.dont_write_bytecode = True  # else a file saved twice within a second could be imported in its first version
    for chatty in ("watchfiles", "traitlets"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    root = Path.cwd()
    changes: queue.SimpleQueue[tuple[float, set[Path]]] = queue.SimpleQueue()
    server = Server(root / OUTPUT / "html", options.port)
    site = Site(root, tell=server.tell, interrupted=lambda: not changes.empty())
    server.looked = site.look
    threading.Thread(target=watch, args=(root, changes), daemon=True).start()
    server.start()
    say("Building all pages")
    since = time.perf_counter()
    report(site, site.start(), since)
    gc.freeze()  # these objects live on, so the garbage collector need not visit them again
    say(f"Serving on http://{server.address}")
    if not options.no_browser:
        webbrowser.open(f"http://{server.address}")
    while True:
        since, changed = changes.get()
        while not changes.empty():
            changed |= changes.get()[1]
        report(site, site.update(changed), since)
        while site.unfinished and changes.empty():
            since = time.perf_counter()
            report(site, site.settle(), since)
        if changes.empty():
            say("Up to date: " + verdict(site))


def watch(root: Path, changes: queue.SimpleQueue[tuple[float, set[Path]]]) -> None:
    """Note what is saved, and when."""
    folders = [root / name for name in ("docs", *CODE) if (root / name).is_dir()]
    for found in watchfiles.watch(*folders, step=20):
        changes.put((time.perf_counter(), {Path(path) for _, path in found}))


def report(site: Site, written: list[str], since: float) -> None:
    """Print what was written, and all that is wrong, old or new."""
    pages = ", ".join(written) if len(written) < 4 else f"{len(written)} pages"
    say(f"{pages or 'nothing'} written in {time.perf_counter() - since:.1f} s, {verdict(site)}")
    for fault in site.faults:
        say(f"  {fault.replace(f'{Path.cwd()}{os.sep}', '')}")


def verdict(site: Site) -> str:
    """Return how many faults stand."""
    count = len(list(site.faults))
    return f"{count} faults" if count > 1 else "1 fault" if count else "no fault"


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201  # this is a command


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
