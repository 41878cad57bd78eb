"""The environment that all nox sessions share, installed again when, and only when, requirements.lock changes.

Nox imports this from outside the environment, so it uses the standard library alone.
"""

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements.lock"
HOME: Final = ROOT / ".nox" / "lesson"
#: uv, if it is installed beside nox or anywhere on the path.
UV: Final = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")


def python_of(home: Path) -> Path:
    """Return the Python of an environment."""
    return home / "Scripts" / "python.exe" if sys.platform == "win32" else home / "bin" / "python"


def ready(run: Callable[..., object]) -> Path:
    """Return the Python of the shared environment, after bringing the environment up to date.

    Parameters
    ----------
    run : callable
        Runs a command, which it is given as arguments, and does not return if the command fails.

    Returns
    -------
    pathlib.Path
        The interpreter.
    """
    stamp, interpreter = HOME / "installed", python_of(HOME)
    wanted = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return interpreter
    if UV:  # faster than pip
        run(UV, "venv", "-q", "--clear", "--python", sys.executable, HOME)
        # Compiled now by all cores, as pip does, instead of by every kernel and worker that starts first.
        options = ("-q", "--require-hashes", "--compile-bytecode", "--python", interpreter)
        run(UV, "pip", "sync", *options, LOCK)
    else:
        run(sys.executable, "-m", "venv", "--clear", HOME)
        run(interpreter, "-m", "pip", "install", "-q", "--require-hashes", "-r", LOCK)
    stamp.write_text(wanted)
    return interpreter
