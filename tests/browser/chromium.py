"""Which browser the tests take."""

import os
import shutil

#: The shell is the same browser without windows, and opens a page in half the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
#: The path of the browser, or None where there is none.
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
