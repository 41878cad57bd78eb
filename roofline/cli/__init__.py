"""The command line: ``roofline``, or ``python -m roofline`` where it is not installed.

`options` says what may be asked, `values` reads numbers as people type them, `answers` computes, and `terminal` prints.
Nothing else in the package imports this subpackage.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from roofline.errors import RooflineError

from .answers import answer
from .options import parse
from .terminal import Unwritable, printing, write

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None, *, prog: str = "roofline") -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; the process's own arguments where left out.
    prog : str
        What the program is called in its help.

    Returns
    -------
    int
        0; 2 where the input breaks a rule, or 1 where the answer cannot be written, with a sentence on standard error.

    Examples
    --------
    >>> main(["elementwise", "--n", "1e8", "--device", "H100 SXM"])  # doctest: +ELLIPSIS
    elementwise on H100 SXM, bf16
    ...
    """
    try:
        with printing():
            options = parse(arguments, prog)
            write(answer(options), as_json=options.json)
    except RooflineError as error:
        print(f"roofline: {error}", file=sys.stderr)
        return 2
    except Unwritable as error:
        print(f"roofline: {error}", file=sys.stderr)
        return 1
    return 0
