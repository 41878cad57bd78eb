"""Sphinx's own collector gets no hook to keep its numbers. If this fails, `conf.live.numbering` may go."""

import inspect

from sphinx.environment.collectors.toctree import TocTreeCollector


def test_sphinx_still_loads_every_page_to_number_figures():
    assert "doctree = env.get_doctree(docname)" in inspect.getsource(TocTreeCollector.assign_figure_numbers)
