"""What `conf.live.site` clears before each build. If this fails, look there whether it still must, and by what name."""

import pickle
from functools import cached_property
from types import SimpleNamespace

from docutils.utils import new_document
from sphinx.environment import BuildEnvironment


def test_sphinx_still_gives_a_page_as_it_was_first_read_until_its_memory_is_cleared(tmp_path):
    env = SimpleNamespace(doctreedir=tmp_path, _pickled_doctree_cache={}, doc2path=str)

    def write_and_read(title):
        document = new_document("one")
        document["title"] = title
        document.reporter, document.settings = None, SimpleNamespace()
        (tmp_path / "one.doctree").write_bytes(pickle.dumps(document))
        return BuildEnvironment.get_doctree(env, "one")["title"]

    assert write_and_read("old") == "old"
    assert write_and_read("new") == "old"
    env._pickled_doctree_cache.clear()
    assert write_and_read("new") == "new"


def test_sphinx_still_keeps_the_first_page_in_a_place_of_its_own():
    assert isinstance(vars(BuildEnvironment)["master_doctree"], cached_property)
