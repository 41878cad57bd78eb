"""The menu: `nox -l` lists it, `nox -s NAME` runs a session, and whatever follows ` -- ` goes to the tool inside.

All sessions share one environment, installed from requirements.lock when, and only when, the lock changed.
"""

import hashlib
import os
import shutil
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "none"  # one shared environment, made by `ready`, instead of one for each session
nox.options.sessions = ["docs", "doctest", "lint"]

ROOT = Path(__file__).parent
LOCK = ROOT / "requirements.lock"
BUILD = ROOT / "build"
SITE = BUILD / "html"
BUILT = BUILD / "built"  # the fingerprint of the sources and of the site that was built from them and was right
FILES = ("CITATION.cff", "conf", "docs", "figures", "noxfile.py", "requirements.lock", "roofline")
SOURCES = [ROOT / name for name in FILES]
SETTINGS = ("GITHUB_REPOSITORY", "SITE_URL", "SOURCE_DATE_EPOCH")  # what else a build depends on
HOME = ROOT / ".nox" / "lesson"
SPHINX = ("-m", "sphinx", "-c", "conf")
UV = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")  # nox's own one, or yours
SCRIPTS, PYTHON = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into build/html; every number, reference and code cell must be right."""
    build_site(session)
    session.log(f"Open {SITE / 'index.html'}")


@nox.session
def live(session: nox.Session) -> None:
    """Show the site in a browser, and build and reload it in place whenever a file is saved."""
    python(session, "-m", "conf.live", *session.posargs, env={"PYTHONHASHSEED": "0"})  # as kernels have it


@nox.session
def doctest(session: nox.Session) -> None:
    """Check every number and every example, on the pages and in the docstrings, in seconds."""
    unused = ("-p", "no:xdist", "-p", "no:hypothesispytest")  # each costs a good part of a second
    python(session, "-m", "pytest", "-q", *unused, *(session.posargs or ("docs", "roofline")))


@nox.session
def tests(session: nox.Session) -> None:
    """Run all tests, the site's and the browser's included, and count each kind. Builds the site first if it is old."""
    # Who names the tests to run does not want to wait for a build. A test of its own builds the site a second time.
    if not session.posargs and not (BUILT.exists() and BUILT.read_text() == fingerprint(*SOURCES, SITE)):
        build_site(session)
    everything = ("-n", "2", "--dist", "worksteal")  # a worker that is done takes over tests of the other
    python(session, "-m", "pytest", *(session.posargs or everything), env={"ROOFLINE_SITE": str(SITE)})


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and which room imports which: ruff, its formatter, mypy, import-linter."""
    python(session, "-m", "ruff", "check", ".")
    python(session, "-m", "ruff", "format", "--check", ".")
    python(session, "-m", "mypy")
    # The package has no __main__, and the environment's scripts have another path on Windows.
    python(session, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")


@nox.session
def notebook(session: nox.Session) -> None:
    """Write the notebooks that Colab and Binder open afresh from their pages."""
    python(session, "-m", "conf.notebooks.publish", "docs")


@nox.session
def bench(session: nox.Session) -> None:
    """Time the cost functions against NumPy by hand, and the redraws of the built site's figures."""
    for script in sorted((ROOT / "tests" / "bench").glob("*.py")):
        python(session, script, *session.posargs)


@nox.session
def vendor(session: nox.Session) -> None:
    """Build the vendored scripts afresh from the versions that figures/vendor/package.json pins; needs npm."""
    session.chdir("figures/vendor")
    for command in (("npm", "install", "--no-audit", "--no-fund", "--no-package-lock"), ("node", "build.mjs")):
        session.run(*command, external=True)


@nox.session
def linkcheck(session: nox.Session) -> None:
    """Ask every other host that a page links to whether the link still works; needs the network."""
    python(session, *SPHINX, "-b", "linkcheck", "-d", BUILD / "doctrees", "docs", BUILD / "linkcheck")


@nox.session
def lock(session: nox.Session) -> None:
    """Write requirements.lock afresh from pyproject.toml; `-- --upgrade` takes the newest versions."""
    groups = [option for name in nox.project.load_toml()["dependency-groups"] for option in ("--group", name)]
    versions = ("--universal", "--python-version", "3.11", "--fork-strategy", "fewest", "--all-extras", *groups)
    written = ("--generate-hashes", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links")
    command = ("--custom-compile-command", "nox -s lock", *session.posargs)
    run(session, uv(session), "pip", "compile", "-q", *versions, *written, *command, "pyproject.toml", "-o", LOCK)


@nox.session
def lowest(session: nox.Session) -> None:
    """Run the quick tests with the oldest versions that pyproject.toml allows."""
    home = ROOT / ".nox" / "lowest"
    python_there = home / SCRIPTS / PYTHON
    run(session, uv(session), "venv", "-q", "--clear", "--python", sys.executable, home)
    oldest = ("--resolution", "lowest-direct", "--all-extras", "--group", "docs", "--group", "test")
    run(session, uv(session), "pip", "install", "-q", "--python", python_there, *oldest, "-r", "pyproject.toml")
    run(session, python_there, "-m", "pytest", *(session.posargs or ("-m", "not slow and not site and not browser")))


def build_site(session: nox.Session) -> None:
    """Build strictly, and from nothing but the cached outputs: over old doctrees a second try would be green."""
    BUILT.unlink(missing_ok=True)
    for old in (BUILD / "doctrees", SITE):
        shutil.rmtree(old, ignore_errors=True)
    before = fingerprint(*SOURCES)
    python(session, *SPHINX, "-W", "-n", "--keep-going", "-d", BUILD / "doctrees", "docs", SITE)
    if fingerprint(*SOURCES) == before:  # nothing was saved meanwhile, which only some pages would have seen
        BUILT.write_text(fingerprint(*SOURCES, SITE))


def fingerprint(*places: Path) -> str:
    """Return a digest that is another one after any change to the settings, or to the files below these places."""
    total = hashlib.sha256(repr([sys.version, *map(os.environ.get, SETTINGS)]).encode())
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.suffix != ".pyc":
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                total.update(f"{path.relative_to(ROOT).as_posix()} {content}\n".encode())
    return total.hexdigest()


def python(session: nox.Session, *args: object, env: dict[str, str] | None = None) -> None:
    """Run Python in the shared environment."""
    run(session, ready(session), *args, env=env)


def run(session: nox.Session, *args: object, env: dict[str, str] | None = None) -> None:
    """Run a command with the root on Python's path: the lesson's own packages are not installed."""
    session.run(*map(str, args), env={"PYTHONPATH": str(ROOT)} | (env or {}), external=True)


def ready(session: nox.Session) -> Path:
    """Return the Python of the shared environment, after installing what the lock says if that is new."""
    stamp, interpreter = HOME / "installed", HOME / SCRIPTS / PYTHON
    wanted = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        session.log("Installing requirements.lock")
        if UV:  # faster than pip
            run(session, UV, "venv", "-q", "--clear", "--python", sys.executable, HOME)
            # Compiled now by all cores, as pip does, instead of by every kernel and worker that starts first.
            options = ("-q", "--require-hashes", "--compile-bytecode", "--python", interpreter)
            run(session, UV, "pip", "sync", *options, LOCK)
        else:
            run(session, sys.executable, "-m", "venv", "--clear", HOME)
            run(session, interpreter, "-m", "pip", "install", "-q", "--require-hashes", "-r", LOCK)
        stamp.write_text(wanted)
    return interpreter


def uv(session: nox.Session) -> str:
    """Return the path of uv for a session that cannot do without."""
    return UV or session.error("This session needs uv: pip install uv")
