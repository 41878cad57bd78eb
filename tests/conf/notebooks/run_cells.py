"""Run the code cells of a notebook in the interpreter that starts this script, without Jupyter.

It reads a JSON list of sources from its input, and writes a JSON list with, for each cell that ran, what it printed
and, for one that failed, its error.  After a failure it stops, as a notebook does.  The build uses nbclient; the tests
have this beside it because it needs the standard library only, so it works in an environment that holds nothing but
what the notebook asks for, and because dozens of wrong answers would each need a kernel of their own.
"""

import contextlib
import io
import json
import linecache
import sys
import traceback


def run(sources: list[str]) -> list[dict[str, str]]:
    r"""Run some cells in one namespace.

    Parameters
    ----------
    sources : list of str
        The cells.

    Returns
    -------
    list of dict
        ``printed``, ``error`` (its last line, or empty) and ``traceback`` of each cell that ran.

    Examples
    --------
    >>> run(["a = 2", "print(a + 1)", "assert a == 3, 'not 3'", "print('never')"])[1:]
    ... # doctest: +ELLIPSIS
    [{'printed': '3\n', 'error': '', ...}, {'printed': '', 'error': 'AssertionError: not 3', ...}]
    """
    names: dict[str, object] = {"__name__": "__main__"}
    done = []
    for number, source in enumerate(sources, 1):
        # With its source at hand, a traceback shows the failing line.
        file = f"<cell {number}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        printed, error, details = io.StringIO(), "", ""
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                exec(compile(source, file, "exec"), names)  # noqa: S102 - the cells of our own page
        except Exception as caught:  # noqa: BLE001 - whatever a cell raises is its result
            error = "".join(traceback.format_exception_only(caught)).strip()
            details = "".join(traceback.format_exception(caught))
        done.append({"printed": printed.getvalue(), "error": error, "traceback": details})
        if error:
            break
    return done


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
