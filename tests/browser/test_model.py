"""The model in the browser is the package: ``model.js`` and `roofline` agree on thousands of inputs."""

import inspect
import math
import random

import pytest

import roofline
from roofline.bounds import bound
from roofline.costs import COMMON_COSTS, FORMAT_PARAMETERS
from roofline.formats import BYTES
from roofline.kernel import Kernel
from roofline.roof import Roof
from roofline.threshold import critical_batch

pytestmark = pytest.mark.browser
SEED = 20090401  # the month of the roofline paper; any would do, but a failure must come again
RELATIVE = 1e-12
#: What a bound says, by its own names.
OF_THE_BOUND = (
    "compute_time", "memory_time", "time", "time_without_overlap", "attainable", "fraction_of_peak",
    "at_or_above_ridge",
)  # fmt: skip
#: What a shape says, with what each is told.
OF_THE_SHAPE = {
    "g": lambda shape, _: shape.g,
    "parameters": lambda shape, _: shape.parameters,
    "matmul_parameters": lambda shape, _: shape.matmul_parameters,
    "weight_bytes": lambda shape, said: shape.weight_bytes(said["weights"]),
    "step_weight_bytes": lambda shape, said: shape.step_weight_bytes(said["weights"]),
    "kv_bytes_per_token": lambda shape, said: shape.kv_bytes_per_token(said["cache"]),
    "cache_bytes": lambda shape, said: shape.cache_bytes(said["sequences"], said["tokens"], said["cache"]),
    "unavoidable_bytes": lambda shape, said: roofline.unavoidable_bytes(
        shape, said["sequences"], said["tokens"], weights=said["weights"], cache=said["cache"]
    ),
}
LAYERS = {
    "decode_layer": roofline.decode_layer,
    "decode_step": roofline.decode_step,
    "prefill_layer": roofline.prefill_layer,
    "prefill_step": roofline.prefill_step,
}
RUN = """async ([address, calls]) => {
  const model = await import(address);
  return calls.map(([path, argument]) => {
    const value = path.reduce((part, key) => part[key], model)(argument);
    return value === Infinity ? "inf" : value;
  });
}"""


@pytest.fixture(scope="module")
def run(browser, lesson_address):
    """Call functions of ``model.js``: each call is a path into the module and its argument."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{lesson_address}index.html")
    yield lambda calls: page.evaluate(RUN, [f"{lesson_address}_static/figures/model.js", calls])
    context.close()


def agree(mine, theirs):
    if isinstance(mine, bool):
        return mine is theirs
    theirs = math.inf if theirs == "inf" else theirs
    return mine == theirs or math.isclose(mine, theirs, rel_tol=RELATIVE)


def size(rng):
    """A size as kernels have them: from one to a hundred million, whole or not."""
    value = 10 ** rng.uniform(0, 8)
    return max(round(value), 1) if rng.random() < 0.7 else value


def argument_of(name, rng):
    """What a cost function may be given for the parameter of this name."""
    if name in FORMAT_PARAMETERS:
        return rng.choice(list(BYTES.values()))
    return rng.choice((0, 1)) if name == "causal" else size(rng)


def assert_all_agree(cases, run):
    """Compare each case, (path, argument, the package's value)."""
    got = run([[path, argument] for path, argument, _ in cases])
    wrong = [
        (path, argument, mine, theirs)
        for (path, argument, mine), theirs in zip(cases, got, strict=True)
        if not agree(mine, theirs)
    ]
    assert wrong == []


@pytest.mark.parametrize("command", COMMON_COSTS)
def test_a_kernel_costs_the_same_in_both_languages(command, run):
    function = COMMON_COSTS[command]
    signature = inspect.signature(function).parameters
    several = FORMAT_PARAMETERS & signature.keys() - {"dtype"}
    names = [name for name in signature if name != "name" and not (name == "dtype" and several)]
    rng = random.Random(f"{SEED}{command}")  # noqa: S311 - inputs of a test
    cases = []
    for number in range(150):
        values = {n: argument_of(n, rng) for n in names}
        if number == 0:  # a decode step of one token
            values |= {n: 1 for n in names if n not in FORMAT_PARAMETERS}
        kernel = function(**values)
        path = ["kernels", function.__name__]
        cases += [([*path, part], values, getattr(kernel, part)) for part in ("flops", "nbytes")]
    assert_all_agree(cases, run)


def roofs(rng, count):
    """Roofs of the catalog, and some that no one has built."""
    real = [gpu.roof(fmt) for gpu in roofline.devices() for fmt in gpu.formats]
    for _ in range(count):
        yield rng.choice(real) if rng.random() < 0.6 else Roof(10 ** rng.uniform(9, 17), 10 ** rng.uniform(9, 13.5))


def test_the_bound_is_the_same_in_both_languages(run):
    rng = random.Random(SEED)  # noqa: S311
    cases = []
    for roof in roofs(rng, 300):
        kernel = Kernel("kernel", 10 ** rng.uniform(0, 18), 10 ** rng.uniform(0, 14))
        if rng.random() < 0.2:  # exactly at the ridge point, as far as a float can be
            kernel = Kernel("at the ridge", float(roof.peak), float(roof.bandwidth))
        limit = bound(kernel, roof)
        argument = {
            "flops": kernel.flops,
            "nbytes": kernel.nbytes,
            "peak": float(roof.peak),
            "bandwidth": float(roof.bandwidth),
        }
        cases.append((["intensity"], argument, kernel.intensity))
        cases.append((["ridge"], argument, roof.ridge))
        cases.append((["attainable_at"], argument | {"intensity": kernel.intensity}, roof.attainable(kernel.intensity)))
        cases += [([name], argument, getattr(limit, name)) for name in OF_THE_BOUND]
    assert_all_agree(cases, run)


def test_the_critical_batch_is_the_same_in_both_languages(run):
    rng = random.Random(SEED + 1)  # noqa: S311
    cases = []
    for roof in roofs(rng, 500):
        D, F = size(rng), size(rng)
        if rng.random() < 0.1:  # a ridge point that is the ceiling: no batch, by a hair
            roof = Roof(float(D * F), float(D + F))  # noqa: PLW2901 - this case has a roof of its own
        weights, activations, outputs = (rng.choice(list(BYTES.values())) for _ in range(3))
        argument = {
            "D": D, "F": F, "peak": float(roof.peak), "bandwidth": float(roof.bandwidth),
            "weights": weights, "activations": activations, "outputs": outputs,
        }  # fmt: skip
        mine = critical_batch(D, F, roof, weights=weights, activations=activations, outputs=outputs)
        cases.append((["critical_batch"], argument, mine))
    assert sum(math.isinf(mine) for *_, mine in cases) > 20, "the case without a batch must be among them"
    assert_all_agree(cases, run)


def test_a_layer_and_a_step_cost_the_same_in_both_languages(run):
    rng = random.Random(SEED + 2)  # noqa: S311
    fields = ("hidden", "layers", "q_heads", "kv_heads", "head_dim", "intermediate", "vocab")
    cases = []
    for _ in range(25):
        kv_heads = rng.randint(1, 32)
        sizes = [rng.randint(64, 16384), rng.randint(1, 126), kv_heads * rng.randint(1, 16), kv_heads]
        sizes += [rng.randint(16, 256), rng.randint(64, 65536), rng.randint(1000, 300_000)]
        shape = roofline.Model("a model", *sizes)
        sequences, tokens = rng.randint(1, 1024), rng.randint(1, 131_072)
        weights, cache = rng.choice(list(BYTES.values())), rng.choice(list(BYTES.values()))
        argument = dict(zip(fields, sizes, strict=True)) | {
            "sequences": sequences, "tokens": tokens, "context": tokens, "prompt": tokens,
            "weights": weights, "cache": cache,
        }  # fmt: skip
        formats = {"weights": weights, "cache": cache}
        for name, kernels in LAYERS.items():
            for index, kernel in enumerate(kernels(shape, sequences, tokens, **formats)):
                cases += [([name, index, part], argument, getattr(kernel, part)) for part in ("flops", "nbytes")]
        cases += [([name], argument, says(shape, argument)) for name, says in OF_THE_SHAPE.items()]
    assert_all_agree(cases, run)


def test_no_formula_of_the_model_is_left_out_here(browser, lesson_address):
    page = browser.new_context().new_page()
    page.goto(f"{lesson_address}index.html")
    exported = page.evaluate(
        "address => import(address).then((model) => Object.keys(model))",
        f"{lesson_address}_static/figures/model.js",
    )
    data = {"devices", "models", "bytes"}
    compared = {
        "kernels",
        "intensity",
        "ridge",
        "attainable_at",
        "critical_batch",
        *OF_THE_BOUND,
        *OF_THE_SHAPE,
        *LAYERS,
    }
    assert set(exported) == data | compared


UNITS = ("", "s", "B", "FLOP", "FLOP/s", "B/s", "FLOP/B", "tokens/s", "%", "×")


def test_quantities_are_written_alike_in_both_languages(browser, lesson_address):
    rng = random.Random(SEED + 3)  # noqa: S311
    cases = [(10 ** rng.uniform(-12, 17), rng.choice(UNITS), rng.randint(1, 6)) for _ in range(2000)]
    cases += [(0.0, "s", 3), (1000.0, "B", 3), (999.5e9, "FLOP/s", 3), (float("inf"), "", 3)]
    page = browser.new_context().new_page()
    page.goto(f"{lesson_address}index.html")
    got = page.evaluate(
        """async ([address, cases]) => {
          const { formatQuantity } = await import(address);
          return cases.map(([value, unit, digits]) => formatQuantity(value === "inf" ? Infinity : value, unit, digits));
        }""",
        [
            f"{lesson_address}_static/figures/shared/quantity.js",
            [["inf" if math.isinf(value) else value, unit, digits] for value, unit, digits in cases],
        ],
    )
    wrong = [
        (case, mine, theirs)
        for case, theirs in zip(cases, got, strict=True)
        if (mine := roofline.format_quantity(*case)) != theirs
    ]
    # Half-way cases may round to either side: Python rounds the exact binary value, a browser the shortest decimal.
    assert len(wrong) <= 2, wrong


def test_what_is_typed_is_read_as_people_mean_it(browser, lesson_address):
    typed = {
        "4096": 4096, "4,096": 4096, "1e6": 1e6, "4k": 4000, "4K": 4000, "2.5 M": 2.5e6, "10⁸": 1e8, "10^8": 1e8,
        ".5": 0.5, "1_000": 1000, " 16 384 ": 16384,
    }  # fmt: skip
    nonsense = ["", "four", "1e", "--3", "4096 tokens", "1,2.3.4", "k"]
    page = browser.new_context().new_page()
    page.goto(f"{lesson_address}index.html")
    got = page.evaluate(
        """async ([address, texts]) => {
          const { parseNumber } = await import(address);
          return texts.map((text) => { const n = parseNumber(text); return Number.isNaN(n) ? "none" : n; });
        }""",
        [f"{lesson_address}_static/figures/shared/quantity.js", [*typed, *nonsense]],
    )
    assert got == [*typed.values(), *(["none"] * len(nonsense))]
