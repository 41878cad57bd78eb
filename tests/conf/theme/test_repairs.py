"""What is mended of the HTML, the scripts and the messages of others."""

import logging

from conf.theme.repairs import Settings, defer_scripts, drop_hidden_names, link_titles


class Script:
    """What Sphinx knows of a script."""

    def __init__(self, filename, priority=500, **attributes):
        self.filename, self.priority, self.attributes = filename, priority, attributes


THEOREM = """\
<div class="proof theorem admonition" id="thm-one">
<p class="admonition-title"><span class="caption-number">Theorem 2 </span> (Matmul intensity)</p>
<section class="theorem-content">
<p>Text.</p>
</section></div>
"""


def test_a_theorem_links_to_itself_in_its_title():
    title = '(Matmul intensity)<a class="headerlink" href="#thm-one" title="Link to this theorem">#</a></p>\n<section'
    linked = link_titles(THEOREM * 2, "#")
    assert linked.count(title) == 2
    assert linked.replace('<a class="headerlink" href="#thm-one" title="Link to this theorem">#</a>', "") == THEOREM * 2


def test_a_proof_has_no_label_to_link_to():
    proof = '<div class="proof admonition">\n<p class="admonition-title">Proof.</p></div>'
    assert link_titles(proof, "#") == proof


def test_scripts_wait_but_for_those_that_are_used_at_once():
    found = [
        Script("tabs.js", key="value"),
        Script("documentation_options.js?v=1"),
        Script("calc.js", type="module"),
        Script("lesson.js", defer="defer"),
    ]

    def attributes(page):
        context = {"script_files": found}
        defer_scripts(None, page, "", context, None)
        return [script.attributes for script in context["script_files"]]

    assert attributes("index") == [{"defer": "defer", "key": "value"}, {}, {"type": "module"}, {"defer": "defer"}]
    assert attributes("search") == [script.attributes for script in found]
    assert found[0].attributes == {"key": "value"}  # another page has the same


def test_a_fold_of_code_is_called_what_it_shows():
    page = {"body": '<details><summary aria-label="Toggle hidden content">Show code cell source</summary></details>'}
    drop_hidden_names(None, "", "", page, None)
    assert page["body"] == "<details><summary>Show code cell source</summary></details>"


def test_only_the_line_with_all_settings_is_dropped():
    def passes(level, message, *args):
        return Settings().filter(logging.LogRecord("sphinx.myst", level, "", 0, message, args, None))

    assert not passes(logging.INFO, "myst v%s: %s", "5.2", "MdParserConfig(...)")
    assert passes(logging.WARNING, "myst v%s: %s", "5.2", "is too old")
    assert passes(logging.INFO, "reading sources... %s", "index")
    assert passes(logging.INFO, "done")
