"""The menu: `nox -l` lists it, `nox -s NAME` runs a session, and whatever follows ` -- ` goes to the tool inside."""

import functools
import os
import shutil
import sys
from pathlib import Path

import nox

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT))  # nox does not look for modules beside this file

from conf.digest import digest  # noqa: E402
from conf.installation import LOCK, UV, python_of, ready  # noqa: E402

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "none"  # conf.installation makes one environment for all sessions
nox.options.sessions = ["docs", "doctest", "lint"]

BUILD = ROOT / "build"
SITE = BUILD / "html"
BUILT = BUILD / "built"  # the fingerprint of the last site that was built without a fault, and of its sources
SOURCES = ("CITATION.cff", "conf", "docs", "figures", "noxfile.py", "requirements.lock", "roofline")
SETTINGS = ("GITHUB_REPOSITORY", "SITE_URL", "SOURCE_DATE_EPOCH")  # what else a build depends on
SPHINX = ("-m", "sphinx", "-c", "conf")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into build/html; a wrong number, reference or code cell stops it."""
    build_site(session)
    session.log(f"Open {SITE / 'index.html'}")


@nox.session
def live(session: nox.Session) -> None:
    """Show the site in a browser, and build and reload it in place whenever a file is saved."""
    python(session, "-m", "conf.live", *session.posargs, env={"PYTHONHASHSEED": "0"})  # the same as in kernels


@nox.session
def doctest(session: nox.Session) -> None:
    """Check every number and every example, on the pages and in the docstrings, in seconds."""
    unused = ("-p", "no:xdist", "-p", "no:hypothesispytest")  # each takes a good part of a second to load
    python(session, "-m", "pytest", "-q", *unused, *(session.posargs or ("docs", "roofline")))


@nox.session
def tests(session: nox.Session) -> None:
    """Run all tests and count each kind, after building the site if it is not up to date."""
    # Tests that are named on the command line start at once, with the site as it is.
    if not session.posargs and not (BUILT.exists() and BUILT.read_text() == fingerprint(*SOURCES, "build/html")):
        build_site(session)
    everything = ("-n", "2", "--dist", "worksteal")  # a worker that has no tests left takes some of the other's
    python(session, "-m", "pytest", *(session.posargs or everything), env={"ROOFLINE_SITE": str(SITE)})


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and imports: ruff, its formatter, mypy, import-linter."""
    python(session, "-m", "ruff", "check", ".")
    python(session, "-m", "ruff", "format", "--check", ".")
    python(session, "-m", "mypy")
    # import-linter has no __main__, and its script would have another path on Windows.
    python(session, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")


@nox.session
def notebook(session: nox.Session) -> None:
    """Rewrite, from their pages, the notebooks that Colab and Binder open."""
    python(session, "-m", "conf.notebooks.publish", "docs")


@nox.session
def bench(session: nox.Session) -> None:
    """Time the cost functions against NumPy by hand, and the redraws of the built site's figures."""
    for script in sorted((ROOT / "tests" / "bench").glob("*.py")):
        python(session, script, *session.posargs)


@nox.session
def vendor(session: nox.Session) -> None:
    """Rebuild the vendored scripts from the versions that figures/vendor/package.json pins; needs npm."""
    session.chdir("figures/vendor")
    for command in (("npm", "install", "--no-audit", "--no-fund", "--no-package-lock"), ("node", "build.mjs")):
        session.run(*command, external=True)


@nox.session
def linkcheck(session: nox.Session) -> None:
    """Check that every link to another host still works; needs the network."""
    python(session, *SPHINX, "-b", "linkcheck", "-d", BUILD / "doctrees", "docs", BUILD / "linkcheck")


@nox.session
def lock(session: nox.Session) -> None:
    """Rewrite requirements.lock from pyproject.toml; `-- --upgrade` takes the newest versions."""
    groups = [option for name in nox.project.load_toml()["dependency-groups"] for option in ("--group", name)]
    versions = ("--universal", "--python-version", "3.11", "--fork-strategy", "fewest", "--all-extras", *groups)
    written = ("--generate-hashes", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links")
    command = ("--custom-compile-command", "nox -s lock", *session.posargs)
    run(session, uv(session), "pip", "compile", "-q", *versions, *written, *command, "pyproject.toml", "-o", LOCK)


@nox.session
def lowest(session: nox.Session) -> None:
    """Run the quick tests with the oldest versions that pyproject.toml allows."""
    home = ROOT / ".nox" / "lowest"
    interpreter = python_of(home)
    run(session, uv(session), "venv", "-q", "--clear", "--python", sys.executable, home)
    oldest = ("--resolution", "lowest-direct", "--all-extras", "--group", "docs", "--group", "test")
    run(session, uv(session), "pip", "install", "-q", "--python", interpreter, *oldest, "-r", "pyproject.toml")
    run(session, interpreter, "-m", "pytest", *(session.posargs or ("-m", "not slow and not site and not browser")))


def build_site(session: nox.Session) -> None:
    """Build strictly and from fresh doctrees: over old ones, a second try would hide the warnings of the first."""
    BUILT.unlink(missing_ok=True)
    for old in (BUILD / "doctrees", SITE):
        shutil.rmtree(old, ignore_errors=True)
    before = fingerprint(*SOURCES)
    python(session, *SPHINX, "-W", "-n", "--keep-going", "-d", BUILD / "doctrees", "docs", SITE)
    if fingerprint(*SOURCES) == before:  # else a file was saved meanwhile, and only some pages have seen it
        BUILT.write_text(fingerprint(*SOURCES, "build/html"))


def fingerprint(*places: str) -> str:
    """Return a text that changes with these files and folders, the settings of a build, and Python."""
    return repr([sys.version, *map(os.environ.get, SETTINGS), digest(ROOT, places)])


def python(session: nox.Session, *args: object, env: dict[str, str] | None = None) -> None:
    """Run Python in the shared environment."""
    run(session, ready(functools.partial(run, session)), *args, env=env)


def run(session: nox.Session, *args: object, env: dict[str, str] | None = None) -> None:
    """Run a command with the root on Python's path: the lesson's own packages are not installed."""
    session.run(*map(str, args), env={"PYTHONPATH": str(ROOT)} | (env or {}), external=True)


def uv(session: nox.Session) -> str:
    """Return the path of uv, for a session that cannot do without."""
    return UV or session.error("This session needs uv: pip install uv")
