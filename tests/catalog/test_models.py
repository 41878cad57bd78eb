"""The catalog of models holds published shapes, finds them by name, and refuses a wrong row."""

import re
from importlib import resources

import pytest

from roofline import LLAMA_3_1_8B, Experts, Latent, model, models
from roofline.catalog.model_file import FILE, load_models
from roofline.errors import CatalogError, InvalidValue, UnknownModel

NAMES = [shape.name for shape in models()]
TEXT = resources.files("roofline.catalog").joinpath(FILE).read_text(encoding="utf-8")
SOURCES, *ROWS = re.split(r"^(?=\[\[model\]\])", TEXT, flags=re.MULTILINE)


def test_the_lesson_s_model_is_that_of_the_catalog():
    assert model("Llama 3.1 8B") == LLAMA_3_1_8B


def test_a_model_says_how_it_differs_from_llama():
    assert model("Mixtral 8x7B").experts == Experts(8, 2, 14336)
    assert model("DeepSeek V3").latent == Latent(1536, 512, 64, 128, 128)
    assert [(n, kind.moe) for n, kind in model("DeepSeek V3").kinds] == [(3, False), (58, True)]
    assert [(n, kind.window) for n, kind in model("Gemma 2 9B").kinds] == [(21, 4096), (21, 0)]
    assert model("Gemma 2 9B").kind(-1) == (False, 0)
    # Five layers with a window to one without; 34 layers do not end with one without.
    assert [(n, kind.window) for n, kind in model("Gemma 3 4B").kinds] == [(29, 1024), (5, 0)]
    # The window comes first, as in its authors' code.
    assert model("gpt-oss 20b").kind(0) == (True, 128)
    assert [(n, kind.moe) for n, kind in model("Kimi K2").kinds] == [(1, False), (60, True)]


def test_a_window_stops_the_cache_from_growing():
    mistral, gemma = model("Mistral 7B"), model("Gemma 2 9B")
    assert mistral.cache_bytes(3, 4096) == mistral.cache_bytes(3, 10**6) == 3 * 4096 * 131_072
    assert gemma.cache_bytes(1, 8192) == 344_064 / 42 * 21 * (4096 + 8192)


def test_every_model_has_a_source_with_a_date():
    for shape in models():
        assert shape.source.kind in {"paper", "configuration"}
        assert shape.source.ref.startswith("https://")
        assert re.fullmatch(r"(accessed )?\d{4}-\d\d-\d\d", shape.source.date)
        assert shape.with_kv_heads(1).source is shape.source


@pytest.mark.parametrize("spelling", ["Llama 3.1 8B", "llama-3.1-8b", "LLAMA_3.1_8B", " llama3.1 8b "])
def test_finds_a_model_however_it_is_spelt(spelling):
    assert model(spelling) is models()[0]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            "Llama 3.1",
            "'Llama 3.1' comes in variants; write one of Llama 3.1 405B, Llama 3.1 70B, Llama 3.1 8B",
        ),
        (
            "Qwen3",
            "'Qwen3' comes in variants; write one of Qwen3 14B, Qwen3 235B A22B, Qwen3 30B A3B, Qwen3 32B, Qwen3 4B",
        ),
        ("Gemma 2", "'Gemma 2' is not a full name; write Gemma 2 9B"),
        (
            "Llama 2 13B",
            "there is no model 'Llama 2 13B' in the catalog; near it: Llama 3.2 3B, Llama 3.2 1B, Llama 2 7B",
        ),
        ("abacus?", f"there is no model 'abacus?' in the catalog; it has {', '.join(NAMES)}"),
    ],
)
def test_an_unknown_model_is_one_sentence_with_the_way_out(asked, sentence):
    with pytest.raises(UnknownModel) as caught:
        model(asked)
    assert str(caught.value).startswith(sentence)


def test_a_model_name_must_be_a_string():
    with pytest.raises(InvalidValue, match=r"^a model is named by a string such as 'Llama 3\.1 8B', not 8$"):
        model(8)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("hidden = ", "width = ", "Llama 3.1 8B: the key 'width' is unknown"),
        ("vocab = 128256\n", "", "Llama 3.1 8B: the key 'vocab' is missing"),
        ("layers = 32", "layers = 33", "Llama 3.1 8B: its widths make 8,248,373,248 parameters; they must make the"),
        ("layers = 32", 'layers = "32"', "Llama 3.1 8B: layers is '32'; it must be a whole number"),
        ("kv_heads = 8", "kv_heads = 5", "Llama 3.1 8B: q_heads is 32; it must be a multiple of kv_heads, which is 5"),
        ("hidden = 4096", "hidden = -4096", "Llama 3.1 8B: hidden is -4096; it must be a positive count"),
        ('source = "llama-3"', 'source = "llama-4"', "Llama 3.1 8B: source 'llama-4' is not among the [sources]; near"),
        ('kind = "paper"', 'kind = "rumour"', "source llama-2: kind is 'rumour'; it must be one of 'paper'"),
        ("accessed = 2026-11-29\n", "", "source llama-2: it must have one of 'date'"),
        ("tied = true", 'tied = "true"', "Llama 3.2 1B: tied is 'true'; it must be true or false"),
        ("tied = true\n", "", "Llama 3.2 1B: its widths make 1,498,482,688 parameters; they must make the published"),
        ("window = 4096", "window = -1", "Mistral 7B: window is -1; it must be a count, 0 or more"),
        ("chosen = 2,", "", "Mixtral 8x7B, experts: the key 'chosen' is missing"),
        ("chosen = 2,", "chosen = 9,", "Mixtral 8x7B: chosen is 9; it must be at most count, which is 8"),
        ("chosen = 2,", "picked = 2,", "Mixtral 8x7B, experts: the key 'picked' is unknown"),
        ("count = 8,", "count = 16,", "Mixtral 8x7B: its widths make 91,8"),
        ("rope = 64,", "rope = 0,", "DeepSeek V3: rope is 0; it must be a positive count"),
        (
            "share = 0.004",
            "share = 0.04",
            "DiT XL/2: uncounted has the share 0.04; it must be above 0.0001",
        ),
        ("notes = [\n", "notes = [\n3,\n", "Mistral 7B: notes must be a list of texts"),
        ("\n[[model]]", "\n[[models]]", "the key 'models' is unknown"),
        ("\n[[model]]", "\n[[model]", "this is not TOML"),
    ],
)
def test_refuses_a_wrong_row_in_one_sentence_that_names_the_place(old, new, says):
    assert old in TEXT
    with pytest.raises(CatalogError) as caught:
        load_models(TEXT.replace(old, new, 1), "mine.toml")
    assert re.match(rf"mine\.toml(:\d+, |: ){re.escape(says)}", str(caught.value))


def test_refuses_a_second_model_of_the_same_name():
    again = ROWS[0].replace("Llama 3.1 8B", "llama-3.1-8b")
    with pytest.raises(CatalogError, match=r"mine.toml:\d+, llama-3.1-8b: the name is taken by Llama 3.1 8B"):
        load_models(TEXT + "\n" + again, "mine.toml")


@pytest.mark.parametrize("width", ["hidden", "layers", "intermediate"])
@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_no_width_can_slip_by_a_hundredth(row, width):
    old = re.search(rf"^{width} = (\d+)", row, flags=re.MULTILINE)
    # The dense MLP of DeepSeek V3 is in 3 layers of 61, less than a five-hundredth of its parameters.
    # That of Kimi K2 is in one layer, a 2600th of them.
    dense = re.search(r"dense_layers = (\d+)", row) if width == "intermediate" else None
    share = {None: 1.01, "3": 1.1, "1": 1.3}[dense and dense[1]]
    slipped = row.replace(old[0], f"{width} = {int(int(old[1]) * share) + 1}")
    with pytest.raises(CatalogError, match=r"its widths make|must be the width of an expert"):
        load_models(SOURCES + slipped)
