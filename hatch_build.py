"""The addresses in the package's metadata, which are known only where it is published.

They come from the two variables that the settings of the site read, so a wheel that is built at home names none.
"""

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """Adds the project's URLs; pyproject.toml lists them as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in what hatchling is about to write."""
        urls = {}
        if site := os.environ.get("SITE_URL"):
            urls |= {"Homepage": site, "Documentation": f"{site.rstrip('/')}/reference/api.html"}
        if repository := os.environ.get("GITHUB_REPOSITORY"):
            source = f"https://github.com/{repository}"
            changes = f"{source}/blob/HEAD/CHANGELOG.md"
            urls |= {"Source": source, "Issues": f"{source}/issues", "Changelog": changes}
        metadata["urls"] = urls
