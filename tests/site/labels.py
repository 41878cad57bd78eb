"""The labels that were ever published: others link to them, so none may disappear.

`python -m tests.site.labels` adds those of the site in build/html, or in ROOFLINE_SITE, to labels.txt.
"""

from pathlib import Path

from tests.site import built

REGISTRY = Path(__file__).parent / "labels.txt"
HEAD = """\
# Every address that was ever published, as page#label. Others link to these, so a line is never taken out.
# After a build, `python -m tests.site.labels` adds the new ones.
"""


def registered(text: str) -> set[str]:
    return {line for line in text.splitlines() if line and not line.startswith("#")}


def published(site: Path) -> set[str]:
    """The labels of a site, each with its page."""
    return {f"{page.name}#{label}" for page in built.written(site) for label in page.labels}


def main() -> None:
    old = registered(REGISTRY.read_text(encoding="utf-8")) if REGISTRY.exists() else set()
    now = published(Path(built.FOLDER or built.ROOT / "build" / "html"))
    REGISTRY.write_text(HEAD + "\n".join(sorted(old | now)) + "\n", encoding="utf-8")
    print(f"{len(now - old)} added to {len(old)} in {REGISTRY.name}")  # noqa: T201 - a command prints


if __name__ == "__main__":
    main()
