"""How a page is looked at: in which windows and themes, and by which rules of axe in each."""

import pytest

from tests.browser.axe import COLOURS

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

#: Theme, window and rules. A theme can only break colours, and a narrow window has the colours of a wide one, and fewer
#: texts.
LOOKS = [
    ("light", DESKTOP, {}),
    ("dark", DESKTOP, {"only": COLOURS}),
    ("light", PHONE, {"without": COLOURS}),
]
in_each_look = pytest.mark.parametrize(("theme", "size", "rules"), LOOKS, ids=["light", "dark", "phone"])
