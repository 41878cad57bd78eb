from conf.tidy import link_titles

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
