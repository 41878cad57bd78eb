"""The catalog of models holds published shapes, finds them by name, and refuses a wrong row."""

import re
from importlib import resources

import pytest

from roofline import LLAMA_3_1_8B, model, models
from roofline.catalog.models import FILE, load_models
from roofline.errors import CatalogError, InvalidValue, UnknownModel

NAMES = ["Llama 3.1 8B", "Llama 3.1 70B", "Llama 3.1 405B", "Llama 2 7B", "Qwen2.5 7B", "Qwen2.5 72B", "Qwen3 8B"]
TEXT = resources.files("roofline.catalog").joinpath(FILE).read_text(encoding="utf-8")
SOURCES, *ROWS = re.split(r"^(?=\[\[model\]\])", TEXT, flags=re.MULTILINE)


def test_has_exactly_these_models_in_this_order():
    assert [shape.name for shape in models()] == NAMES


def test_the_lesson_s_model_is_that_of_the_catalog():
    assert model("Llama 3.1 8B") == LLAMA_3_1_8B


@pytest.mark.parametrize(
    ("name", "parameters", "kv_bytes"),
    [
        ("Llama 3.1 8B", 8_030_261_248, 131_072),
        ("Llama 3.1 70B", 70_553_706_496, 327_680),
        ("Llama 3.1 405B", 405_853_388_800, 516_096),
        ("Llama 2 7B", 6_738_415_616, 524_288),
        # Published without their biases (128 x 36 heads x 28 layers, 128 x 80 x 80) and norms inside attention.
        ("Qwen2.5 7B", 7_615_616_512 - 28 * 36 * 128, 57_344),
        ("Qwen2.5 72B", 72_706_203_648 - 80 * 80 * 128, 327_680),
        ("Qwen3 8B", 8_190_735_360 - 36 * 2 * 128, 147_456),
    ],
)
def test_counts_the_published_parameters_and_cache(name, parameters, kv_bytes):
    assert model(name).parameters == parameters
    assert model(name).kv_bytes_per_token() == kv_bytes


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
        ("Qwen3", "'Qwen3' is not a full name; write Qwen3 8B"),
        ("Llama 2 70B", "there is no model 'Llama 2 70B' in the catalog; near it: Llama 2 7B, Llama 3.1 70B"),
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
        ("layers = 32", "layers = 33", "Llama 3.1 8B: its widths make 8,248,373,248 parameters; it must be the"),
        ("layers = 32", 'layers = "32"', "Llama 3.1 8B: layers is '32'; it must be a whole number"),
        ("kv_heads = 8", "kv_heads = 5", "Llama 3.1 8B: q_heads is 32; it must be a multiple of kv_heads, which is 5"),
        ("hidden = 4096", "hidden = -4096", "Llama 3.1 8B: hidden is -4096; it must be a positive count"),
        ('source = "llama-3"', 'source = "llama-4"', "Llama 3.1 8B: source 'llama-4' is not among the [sources]; near"),
        ('kind = "paper"', 'kind = "rumour"', "source llama-2: kind is 'rumour'; it must be one of 'paper'"),
        ("accessed = 2026-11-29\n", "", "source llama-2: it must have one of 'date'"),
        ("\n[[model]]", "\n[[models]]", "the key 'models' is unknown"),
        ("\n[[model]]", "\n[[model]", "this is not TOML"),
    ],
)
def test_refuses_a_wrong_row_in_one_sentence_that_names_the_place(old, new, says):
    assert old in TEXT
    with pytest.raises(CatalogError) as caught:
        load_models(TEXT.replace(old, new, 1), "mine.toml")
    assert str(caught.value).startswith((f"mine.toml, {says}", f"mine.toml: {says}"))


def test_refuses_a_second_model_of_the_same_name():
    again = ROWS[0].replace("Llama 3.1 8B", "llama-3.1-8b")
    with pytest.raises(CatalogError, match=r"mine.toml, llama-3.1-8b: the name is taken by Llama 3.1 8B"):
        load_models(TEXT + "\n" + again, "mine.toml")


@pytest.mark.parametrize("width", ["hidden", "layers", "intermediate"])
@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_no_width_can_slip_by_a_hundredth(row, width):
    old = re.search(rf"^{width} = (\d+)", row, flags=re.MULTILINE)
    slipped = row.replace(old[0], f"{width} = {int(old[1]) * 101 // 100 + 1}")
    with pytest.raises(CatalogError, match="its widths make"):
        load_models(SOURCES + slipped)
