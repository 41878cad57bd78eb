"""Settings of the site, and nothing else: what Sphinx cannot do by a setting is done in the rooms beside this file."""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # roofline, figures and conf are folders of the root, not installed packages

# -- The site ----------------------------------------------------------------------------------------------------------

project = "The roofline lesson"
author = "The roofline lesson contributors"
project_copyright = author  # no year: the same source gives the same bytes whenever it is built
language = "en"
# Both are known only where the site is published. A copy built at home links to neither.
html_baseurl = os.environ.get("SITE_URL", "")
repository = os.environ.get("GITHUB_REPOSITORY", "")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_exercise",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
    "sphinx.ext.githubpages",  # writes .nojekyll, without which GitHub Pages drops _static
    "notfound.extension",
    # Our own rooms, in the order in which what they register must come.
    "conf.assets",
    "conf.element",
    "conf.cells",
    "conf.numbers",
    "conf.figures",
    "conf.practice",
    "conf.theme",
    "conf.atlas",
    "conf.notebooks",
    "conf.citation",
    "conf.reference",
]

# -- Pages -------------------------------------------------------------------------------------------------------------

exclude_patterns = ["**/_*.md", "**/*.ipynb"]  # _ is for what pages include; notebooks are made from pages
myst_enable_extensions = ["amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_update_mathjax = False  # there is no MathJax: maths is MathML when the page is built
html_math_renderer = "mathml"
numfig = True
numfig_secnum_depth = 0  # Figure 7, not Figure 2.3: a new section then renumbers nothing
numfig_format = {"figure": "Figure %s", "table": "Table %s", "code-block": "Listing %s"}
math_eqref_format = "Equation {number}"
bibtex_bibfiles = ["../docs/references.bib"]  # from this folder
bibtex_reference_style = "author_year"
notebook_repository = repository
citation_url = html_baseurl or (repository and f"https://github.com/{repository}")

# -- Code cells --------------------------------------------------------------------------------------------------------

nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build" / "jupyter-cache")  # conf.cells.freshness adds the digest of these:
freshness_inputs = ["roofline", "figures", "conf/cells", "requirements.lock"]
freshness_directives = ["conf"]  # pages are read again when these change, but not executed
nb_execution_in_temp = True  # a cell that writes a file does not litter docs/
nb_execution_timeout = 60
nb_execution_raise_on_error = False  # conf.cells fails the build instead, after all pages have said what is wrong
nb_merge_streams = True
nb_output_stderr = "error"  # a warning in a cell is not something to publish
copybutton_exclude = ".linenos, .gp, .go"  # what is copied can be pasted and run: no >>>, no output

# -- What the build insists on -----------------------------------------------------------------------------------------

nitpicky = True
nitpick_ignore_regex = [
    # No inventory of another project is fetched during a build, so a type outside of roofline has nothing to link to.
    (r"py:.*", r"(?!roofline\b).*"),
]
suppress_warnings: list[str] = []

# -- API reference -----------------------------------------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings give types, with units and ranges, which annotations cannot
numpydoc_show_class_members = False  # autodoc lists them already
numpydoc_class_members_toctree = False
autosummary_generate = False  # numpydoc loads autosummary, which no page uses

# -- HTML --------------------------------------------------------------------------------------------------------------

html_theme = "sphinx_book_theme"
html_title = project
html_favicon = "theme/static/favicon.svg"
templates_path = ["theme/templates"]
html_copy_source = False
html_show_sphinx = False
html_domain_indices = False  # a list of theorems by name helps nobody find one
notfound_urls_prefix = urlsplit(html_baseurl).path or "/"  # the page is served for any path, so its links are absolute
html_theme_options = {
    "show_toc_level": 2,
    "max_navbar_depth": 1,  # the pages of the reference stand on its first; a fold in the sidebar would have no name
    "use_download_button": False,
    "use_fullscreen_button": False,
    "article_header_start": ["toggle-primary-sidebar"],
}
if repository:
    html_theme_options |= {
        "repository_url": f"https://github.com/{repository}",
        "path_to_docs": "docs",
        "use_repository_button": True,
        "use_issues_button": True,
    }
