"""``python -m roofline`` is the command line of `roofline.cli`."""

import sys

from roofline.cli import main

sys.exit(main(prog="python -m roofline"))
