"""What axe finds on a page: one of its runs, whole or in part."""

from typing import Any

#: What a theme can break: it changes colours alone.
COLOURS = ("color-contrast", "link-in-text-block")


def violations(
    page: Any, *, within: list[str] | None = None, only: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> list[str]:
    """What axe finds on a page, or within some of its elements, by all of its rules or by some."""
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # Without the thousands of nodes that pass, which would all be sent here.
    options: dict[str, Any] = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in without}}
    if only:
        options["runOnly"] = list(only)
    found = page.evaluate(
        "([within, options]) => axe.run(within ?? document, options).then(result => result.violations)",
        [within, options],
    )
    return [f"{rule['id']}: {node['target']} {node['html'][:120]}" for rule in found for node in rule["nodes"]]
