"""The command line: what people and programs get from it, and how it refuses."""

import inspect
import io
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import roofline
from roofline import LLAMA_3_1_8B, decode_step, device, devices, fused_time, models, total_time, unavoidable_bytes
from roofline.cli import main
from roofline.cli.options import COST_COMMANDS, EXAMPLES
from roofline.reality import measurements

ROOT = Path(__file__).parents[1]
MATMUL = ["matmul", "--B", "8", "--D", "4096", "--F", "4096", "--device", "H100 SXM"]

BOUND_OF_8_TOKENS = """\
matmul on H100 SXM, bf16
  FLOPs         268.4 MFLOP
  bytes         33.69 MB
  intensity     7.969 FLOP/byte (ridge point 295.2 FLOP/byte)
  compute time  271.4 ns
  memory time   10.06 µs
  regime        memory-bound
  bound         at least 10.06 µs, at most 26.70 TFLOP/s
  share of peak at most 2.7%
"""


def test_a_kernel_gets_its_bound_in_words(capsys):
    assert main(MATMUL) == 0
    said = capsys.readouterr()
    assert said.out == BOUND_OF_8_TOKENS
    assert said.err == ""


def test_no_command_prints_the_ridge_points_of_every_device(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("Device "))
    assert lines[head].split() == ["Device", "Memory", "Bandwidth", "fp32", "bf16", "fp16", "fp8", "int8"]
    rows = lines[head + 1 :]
    assert [row.split("  ")[0] for row in rows] == [gpu.name for gpu in devices()]
    assert rows[0].split() == [
        "H100",
        "SXM",
        "85.5",
        "GB",
        "(80",
        "GB)",
        "3.35",
        "TB/s",
        "20.0",
        "295",
        "295",
        "591",
        "591",
    ]
    assert len({len(row) for row in rows}) == 1, "the columns are aligned"


def test_a_kernel_in_json_has_si_units_and_full_precision(capsys):
    assert main([*MATMUL, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["arguments"] == {
        "B": 8,
        "D": 4096,
        "F": 4096,
        "dtype": "bf16",
        "weights": None,
        "activations": None,
        "outputs": None,
    }
    assert (answer["kernel"], answer["device"], answer["format"]) == ("matmul", "H100 SXM", "bf16")
    assert (answer["flops"], answer["bytes"], answer["regime"]) == (268_435_456, 33_685_504, "memory-bound")
    for name, value in {
        "intensity": 268_435_456 / 33_685_504,
        "ridge": 989e12 / 3.35e12,
        "compute_time": 268_435_456 / 989e12,
        "memory_time": 33_685_504 / 3.35e12,
        "time": 33_685_504 / 3.35e12,
        "attainable": 268_435_456 / 33_685_504 * 3.35e12,
        "fraction_of_peak": 268_435_456 / 33_685_504 * 3.35e12 / 989e12,
    }.items():
        assert answer[name] == pytest.approx(value, rel=1e-14), name


def test_json_may_be_asked_for_before_or_after_the_command(capsys):
    main(["--json", *MATMUL])
    before = capsys.readouterr().out
    main([*MATMUL, "--json"])
    assert before == capsys.readouterr().out
    assert json.loads(before)["flops"] == 268_435_456


def test_the_ridge_points_in_json_are_in_si_units(capsys):
    assert main(["--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == [gpu.name for gpu in devices()]
    h100 = rows["H100 SXM"]
    assert (h100["bandwidth"], h100["memory"], h100["peaks"]["bf16"]) == (3.35e12, 81_559 * 2**20, 989e12)
    assert h100["ridge_per_byte"]["bf16"] == pytest.approx(295.2238805970149, rel=1e-14)
    assert "fp8" not in rows["V100 SXM2"]["peaks"]


# arguments, line of the answer
ANSWERS = [
    ("elementwise --n 1e8 --device H100-SXM --format fp32", "memory time   119.4 µs"),
    ("elementwise --n 1e8 --device L4", "intensity     0.2500 FLOP/byte (ridge point 403.3 FLOP/byte)"),
    ("elementwise --n 10⁸ --device L4 --flops-per-element 0", "FLOPs         0 FLOP"),
    ("elementwise --n 100,000,000 --device L4", "bytes         400.0 MB"),
    ("rms-norm --tokens 16384 --width 4096 --device H100-SXM", "memory time   80.13 µs"),
    (
        "layer-norm --tokens 8 --width 8 --device H100-SXM",
        "intensity     1.750 FLOP/byte (ridge point 295.2 FLOP/byte)",
    ),
    ("softmax --tokens 8 --width 8 --device H100-SXM", "intensity     1.250 FLOP/byte (ridge point 295.2 FLOP/byte)"),
    (
        "attention-prefill --T 256 --d-h 128 --device H100-SXM",
        "intensity     64.25 FLOP/byte (ridge point 295.2 FLOP/byte)",
    ),
    (
        "attention-prefill --T 256 --d-h 128 --no-causal --device H100-SXM",
        "intensity     128.0 FLOP/byte (ridge point 295.2 FLOP/byte)",
    ),
    ("attention-decode --T 8192 --d-h 128 --g 4 --device H100-SXM", "regime        memory-bound"),
    (
        "attention-chunk --new-tokens 512 --before 8192 --d-h 128 --g 4 --device H100-SXM",
        "FLOPs         8.859 GFLOP",
    ),
    (
        "attention-shared-prefix --prefix 8192 --own 1024 --d-h 128 --g 4 --sequences 32 --device H100-SXM",
        "intensity     28.80 FLOP/byte (ridge point 295.2 FLOP/byte)",
    ),
    ("expert-matmul --B 64 --D 2048 --F 768 --N 128 --k 8 --device H100-SXM", "FLOPs         1.611 GFLOP"),
    (
        "mla-decode --T 8192 --heads 128 --kv-rank 512 --rope 64 --device H100-SXM",
        "intensity     241.8 FLOP/byte (ridge point 295.2 FLOP/byte)",
    ),
    ("mla-prefill --T 2048 --heads 128 --nope 128 --rope 64 --value 128 --device L4", "FLOPs         171.9 GFLOP"),
    ("head-matmul --B 1 --heads 128 --D 128 --F 512 --device L4", "FLOPs         16.78 MFLOP"),
    ("matmul --B 345 --D 4096 --F 4096 --device H100-SXM", "regime        compute-bound"),
    ("matmul --B 8 --D 8 --F 8 --device H100-SXM --dtype fp8", "matmul on H100 SXM, fp8"),
    ("matmul --B 8 --D 8 --F 8 --device H100-SXM --weights 0.625", "bytes         296.0 B"),
    ("matmul --B 8 --D 8 --F 8 --device H100-SXM --weights int4", "matmul on H100 SXM, bf16"),
    ("matmul --B 8 --D 8 --F 8 --device H100-SXM --dtype fp8 --format bf16", "matmul on H100 SXM, bf16"),
]


@pytest.mark.parametrize(("arguments", "line"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_each_cost_function_is_a_command(arguments, line, capsys):
    assert main(arguments.split()) == 0
    assert line in [answer.strip() for answer in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(("arguments", "noted"), [
    ("elementwise --n 1e8 --device L4", True), ("elementwise --n 1e8 --device L4 --format fp32", False),
    ("matmul --B 8 --D 8 --F 8 --device L4", False), ("softmax --tokens 8 --width 8 --device TPU-v5e", False),
])  # fmt: skip
def test_a_kernel_without_a_matrix_product_says_whose_peak_it_was_held_against(arguments, noted, capsys):
    assert main(arguments.split()) == 0
    note = "note          with the peak of the tensor cores; --format fp32 for the general units (CUDA cores), where"
    assert (note in capsys.readouterr().out) == noted


def test_every_public_function_that_gives_a_kernel_is_a_command():
    public = [getattr(roofline, name) for name in roofline.__all__]
    hints = {function.__name__: typing.get_type_hints(function) for function in public if inspect.isfunction(function)}
    giving = {
        name.replace("_", "-")
        for name, hint in hints.items()
        if (typing.get_origin(hint["return"]) or hint["return"]) is roofline.Kernel
    }
    assert {row[0].split()[0] for row in ANSWERS} == set(COST_COMMANDS) == giving


OWN_ROOF = ["--peak", "989 TFLOP/s", "--bandwidth", "3.35e12"]


def test_a_roof_of_ones_own_gives_what_the_device_with_it_gives(capsys):
    assert main([*MATMUL[:-2], *OWN_ROOF]) == 0
    first, rest = BOUND_OF_8_TOKENS.split("\n", 1)
    assert capsys.readouterr().out == f"{first.replace('H100 SXM, bf16', '989.0 TFLOP/s and 3.350 TB/s')}\n{rest}"
    assert main([*MATMUL[:-2], *OWN_ROOF, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["device"], answer["format"], answer["peak"], answer["bandwidth"]) == (None, None, 989e12, 3.35e12)


def test_a_step_on_a_roof_of_ones_own_says_what_it_needs_but_not_whether_it_fits(capsys):
    asked = [word for word in STEP if word not in ("--device", "H200 SXM")]
    assert main([*asked, "--peak", "989 TFLOP/s", "--bandwidth", "4.8 TB/s"]) == 0
    own = capsys.readouterr().out
    assert main(STEP) == 0
    on_device = capsys.readouterr().out
    assert "  memory        50.42 GB\n" in own
    assert own.splitlines()[4:] == on_device.splitlines()[4:]


def test_a_kernel_of_ones_own_is_bounded_as_one_of_the_package_is(capsys):
    assert main(["kernel", "--flops", "268,435,456", "--bytes", "33.685504 MB", "--device", "H100 SXM"]) == 0
    assert capsys.readouterr().out == BOUND_OF_8_TOKENS.replace("matmul", "kernel", 1)


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
def test_no_digits_are_shown_that_are_not_there(form, capsys):
    assert main([*form, "matmul", "--B", "1e26", *SIZES]) == 0
    assert re.findall(r"[\d,]{18,}", capsys.readouterr().out) == []


SIZES = ["--D", "4096", "--F", "4096", "--device", "H100 SXM"]
# arguments, what the sentence says
REFUSED = [
    (["matmul", "--B", "0", *SIZES], "B is 0; it must be a positive, finite count"),
    (["matmul", "--B", "-8", *SIZES], "B is -8; it must be a positive, finite count"),
    (["matmul", "--B", "nan", *SIZES], "B is nan; it must be a positive, finite count"),
    (["matmul", "--B", "inf", *SIZES], "B is inf; it must be a positive, finite count"),
    (["matmul", "--B", "1e400", *SIZES], "B is inf; it must be a positive, finite count"),
    (["matmul", "--B", "many", *SIZES], "B is 'many'; it must be a number, such as 4096 or 1e6"),
    (["matmul", "--B", "8 ms", *SIZES], "B is '8 ms'; it must be a number, such as 4096 or 1e6"),
    (["matmul", "--B", "", *SIZES], "B is ''; it must be a number, such as 4096 or 1e6"),
    (
        ["matmul", "--B", "8", *SIZES, "--dtype", "bf61"],
        "dtype is 'bf61', which is not a known number format; near it: bf16",
    ),
    (["matmul", "--B", "8", *SIZES, "--weights", "bf61"], "weights is 'bf61', which is not a known number format"),
    (["matmul", "--B", "8", *SIZES, "--format", "fp4"], "H100 SXM has no peak for 'fp4'; it has "),
    (
        ["matmul", "--B", "1e200", "--D", "1e200", "--F", "1e200", "--device", "L4"],
        "matmul has sizes too large or too small",
    ),
    (["matmul", "--B", "1.5", *SIZES], "B is 1.5; it must be a whole number, such as 32"),
    (["matmul", "--B", "1e-200", *SIZES], "B is 1e-200; it must be a whole number, such as 32"),
    (["matmul", "--B", "4m", *SIZES], "B is '4m'; it must be a number, such as 4096 or 1e6"),
    (["matmul", "--B", "8k", *SIZES], "B is '8k'; it must be a number, such as 4096 or 1e6"),
    (["matmul", "--B", "≈ 8", *SIZES], "B is '≈ 8'; it must be a number, such as 4096 or 1e6"),
    (["matmul", "--B", "4,09", *SIZES], "B is '4,09'; it must be a number, such as 4096 or 1e6"),
    (["kernel", "--flops", "4 ms", "--bytes", "1", "--device", "L4"], "flops: '4 ms' is in s; write it in FLOP"),
    (["kernel", "--flops", "4M", "--bytes", "1", "--device", "L4"], "flops: '4M' is in no unit; write it in FLOP"),
    (["kernel", "--flops", "1", "--bytes", "0", "--device", "L4"], "nbytes is 0; it must be a positive number"),
    (
        ["kernel", "--flops", "1", "--bytes", "1", "--peak", "0", "--bandwidth", "1"],
        "peak is 0; it must be a positive, finite number of FLOP/s",
    ),
    (["matmul", "--B", "8", *SIZES, "--dtype", "0.5"], "0.5 bytes per element name no peak of H100 SXM; choose one"),
    (["matmul", "--B", "8", *SIZES, "--dtype", "16"], "dtype is 16; it must be a format name or bytes per element"),
    ([*MATMUL[:-1], "H100"], "'H100' comes in variants; write one of H100 NVL, H100 PCIe, H100 SXM"),
    ([*MATMUL[:-1], "A1"], "there is no device 'A1' in the catalog; near it: A100"),
    (["elementwise", "--n", "8", "--reads", "0", "--writes", "0", "--device", "L4"], "reads and writes are both 0"),
    (["above", *MATMUL, "--time", "0"], "time is 0; it must be a positive, finite number"),
    (["above", *MATMUL, "--time", "4 TB"], "time: '4 TB' is in B; write it in s"),
    (["above", *MATMUL, "--rate", "242"], "rate is '242'; it must be above 0 and in FLOP/s or OP/s or B/s"),
    (["above", *MATMUL, "--rate", "0 B/s"], "rate is '0 B/s'; it must be above 0 and in FLOP/s or OP/s or B/s"),
    (
        ["above", *MATMUL, "--rate", "9 tokens/s"],
        "rate is '9 tokens/s'; it must be above 0 and in FLOP/s or OP/s or B/s",
    ),
    (["above", *MATMUL, "--rate", "fast"], "rate: 'fast' is not a quantity"),
    (
        ["above", "kernel", "--flops", "0", "--bytes", "1", "--device", "L4", "--rate", "1 FLOP/s"],
        "rate is '1 FLOP/s'; it must be above 0 and in B/s",
    ),
    (["above", *MATMUL, "--format", "fp4", "--time", "1"], "H100 SXM has no peak for 'fp4'; it has "),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED, ids=[" ".join(row[0]) for row in REFUSED])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
def test_what_breaks_a_rule_is_refused_in_one_line_on_standard_error(arguments, sentence, form, capsys):
    assert main([*form, *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"roofline: {sentence}")
    assert said.err.count("\n") == 1


# arguments, what the sentence names
MISUSED = [
    (["matmul", "--B", "8"], "--D"),
    (["matmul", "--B"], "--B"),
    (["nonsense"], "'nonsense'"),
    ([*MATMUL, "--G", "8"], "--G"),
    (["--colour"], "--colour"),
    # Nothing is guessed from the beginning of an option, and nothing that has no effect is passed over.
    ([*MATMUL[:-2], "--dev", "L4"], "--dev"),
    (["--js"], "--js"),
    (MATMUL[:-2], "--device"),
    (["above"], "KERNEL"),
    (["above", *MATMUL], "--time"),
    (["above", *MATMUL, "--time", "1", "--rate", "1 B/s"], "--time"),
    (["above", *MATMUL[:-2], "--time", "1"], "--device"),
    (["above", *MATMUL, "--peak", "1e12", "--time", "1"], "--peak"),
    ([*MATMUL, "--peak", "1e12"], "--peak"),
    ([*MATMUL[:-2], "--peak", "1e12"], "--bandwidth"),
    ([*MATMUL[:-2], "--peak", "1e12", "--bandwidth", "1e9", "--format", "fp8"], "--format"),
    ([*MATMUL, "--dtype", "fp8", "--weights", "int4", "--activations", "bf16"], "--dtype"),
    (
        ["step", "Llama 3.1 8B", "--device", "L4", "--batch", "1", "--context", "8", "--prefill", "--new-tokens", "1"],
        "--new-tokens",
    ),
]


@pytest.mark.parametrize(("arguments", "named"), MISUSED, ids=[" ".join(row[0]) for row in MISUSED])
def test_a_wrong_call_names_the_option_and_the_way_to_help(arguments, named, capsys):
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("roofline: ")
    assert named in said.err
    assert "--help" in said.err
    assert said.err.count("\n") == 1


def help_of(command, capsys):
    with pytest.raises(SystemExit) as raised:
        main([*command, "--help"])
    assert raised.value.code == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


@pytest.mark.parametrize("command", ["", *EXAMPLES, *(f"above {name}" for name in (*COST_COMMANDS, "kernel", "step"))])
def test_help_is_an_answer_whose_example_runs(command, capsys):
    said = help_of(command.split(), capsys)
    assert said.startswith(f"usage: {f'roofline {command}'.strip()} ")
    (example,) = re.findall(r"^example:\n  roofline (.*)$", said, re.MULTILINE)
    assert example.startswith(command)
    assert main(shlex.split(example)) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("command", COST_COMMANDS)
def test_help_says_what_each_size_is_and_whether_it_may_be_left_out(command, capsys):
    said = " ".join(help_of([command], capsys).partition("example:")[0].split())
    assert COST_COMMANDS[command].__doc__.splitlines()[0].removeprefix("Return ")[1:] in said
    for name, parameter in inspect.signature(COST_COMMANDS[command]).parameters.items():
        if name == "name":
            continue
        option = f"--{name.replace('_', '-')} "
        if isinstance(parameter.default, bool):
            assert f"(default: {option.strip()})" in said
            option = f"--no-{option[2:]}"
        about = said.rpartition(f" {option}")[2].partition(" --")[0]
        assert len(about.split()) > 2, option
        assert ("(required)" in about) == (parameter.default is parameter.empty), option
        if parameter.default not in (parameter.empty, None) and not isinstance(parameter.default, bool):
            assert f"(default: {parameter.default})" in about, option


def test_help_names_what_one_letter_stands_for(capsys):
    said = " ".join(help_of(["matmul"], capsys).split())
    assert "--B COUNT Tokens that share one read of W (rows of X), above 0; never the number of sequences." in said
    assert "--F COUNT D, F: Rows and columns of W, above 0. (required)" in said


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as raised:
        main(["--version"])
    assert raised.value.code == 0
    assert capsys.readouterr().out == f"roofline {roofline.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "status", "out", "err"),
    [
        (MATMUL, 0, BOUND_OF_8_TOKENS, ""),
        (["matmul", "--B", "0", *SIZES], 2, "", "roofline: B is 0; it must be a positive, finite count\n"),
    ],
    ids=["an answer", "an error"],
)
def test_as_a_module_it_sets_the_exit_status_and_keeps_errors_off_standard_output(
    arguments, status, out, err, tmp_path
):
    """Run from elsewhere and in the C locale, as a service might."""
    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT), "LC_ALL": "C"}
    ran = subprocess.run(
        [sys.executable, "-m", "roofline", *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (status, out, err)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
@pytest.mark.parametrize(
    "command", [[], MATMUL, ["devices"], ["models"], ["matmul", "--B", "1e26", *SIZES]], ids=" ".join
)
def test_a_terminal_gets_what_its_encoding_has(command, form, encoding, capsys, monkeypatch):
    main([*form, *command])
    usual = capsys.readouterr().out
    terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main([*form, *command]) == 0
    shown = terminal.buffer.getvalue().decode(encoding)
    if form:
        assert json.loads(shown) == json.loads(usual)
    elif encoding == "utf-8":
        assert shown == usual
    else:
        assert "?" not in shown
        assert len(shown.splitlines()) == len(usual.splitlines())


def test_characters_that_are_missing_are_spelled(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    main(MATMUL)
    main(["matmul", "--B", "1e26", *SIZES])
    shown = terminal.buffer.getvalue().decode("ascii")
    assert "memory time   10.06 us" in shown
    assert "FLOPs         3.355 x 10^33 FLOP" in shown


def run(*options, **more):
    """Run the command line in a process of its own, from the checkout."""
    return subprocess.run(
        [sys.executable, *options],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        **more,
    )


@pytest.mark.parametrize("command", [[], ["matmul"]], ids=["none", "matmul"])
def test_python_without_docstrings_gives_the_same_help(command):
    usual, stripped = (
        run(*options, "-m", "roofline", *command, "--help", stdout=subprocess.PIPE) for options in ([], ["-OO"])
    )
    assert stripped.returncode == 0
    assert stripped.stdout == usual.stdout
    assert usual.stdout.startswith("usage: python -m roofline ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    ("options", "command"),
    # Without a buffer (-u) the write itself fails, and not the last flush.
    [([], MATMUL), ([], ["--help"]), (["-u"], ["--version"])],
    ids=["an answer", "help", "the version, at once"],
)
def test_an_answer_that_cannot_be_written_is_one_sentence(options, command):
    with Path("/dev/full").open("w") as full:
        done = run(*options, "-m", "roofline", *command, stdout=full)
    assert (done.returncode, done.stderr) == (1, "roofline: the answer cannot be written: No space left on device\n")


# ------------------------------------------------------------------------------------------------- catalog and steps

STEP = ["step", "Llama 3.1 8B", "--device", "H200 SXM", "--batch", "32", "--context", "8192"]


def test_devices_are_listed_with_their_dense_peaks(capsys):
    assert main(["devices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head, *rows = lines[2:]
    assert head.split() == [
        "Device",
        "Year",
        "Counts",
        "one",
        "Memory",
        "Bandwidth",
        "L2",
        "fp64",
        "fp32",
        "tf32",
        "bf16",
        "fp16",
        "fp8",
        "int8",
        "fp4",
    ]
    assert [row.split("  ")[0] for row in rows] == [gpu.name for gpu in devices()]
    b300 = next(row for row in rows if row.startswith("B300"))
    assert b300.split()[1:] == (
        [
            "2025",
            "package",
            "288",
            "GB",
            "(288",
            "GB)",
            "8",
            "TB/s",
            "–",
            "1.25",
            "75",
            "1,125",
            "2,250",
            "2,250",
            "4,500",
            "153.5",
            "13,500",
        ]
    )
    assert len({len(row) for row in rows}) == 1, "the columns are aligned"


def test_devices_in_json_have_a_source_and_a_date_for_every_value(capsys):
    assert main(["devices", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == [gpu.name for gpu in devices()]
    for row in rows.values():
        stores = [row["bandwidth"], row["memory"], *([row["l2"]] if row["l2"] else [])]
        for value in (*stores, *row["peaks"].values()):
            assert value["value"] > 0
            assert value["source"]["ref"].startswith("https://")
            assert re.search(r"\d{4}-\d\d-\d\d$", value["source"]["date"])
    assert rows["H200 SXM"]["ridge_per_byte"]["bf16"] == pytest.approx(206.04166666666666, rel=1e-14)
    assert rows["TPU v5p"]["exceptions"][0]["ratio"] == 1
    assert rows["TPU v4"]["l2"] is None


def test_models_are_listed_with_what_their_widths_add_up_to(capsys):
    assert main(["models"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()[2:]
    assert head.startswith("Model ")
    assert [row.split("  ")[0] for row in rows] == [shape.name for shape in models()]
    deepseek = next(row for row in rows if row.startswith("DeepSeek V3"))
    assert deepseek.split()[2:] == ["671", "37.6", "61", "7168", "128/MLA", "1.34", "TB", "70.3", "kB"]
    denoiser = next(row for row in rows if row.startswith("DiT XL/2"))
    assert denoiser.endswith("–"), "it has no cache"


def test_models_in_json_have_their_counts(capsys):
    assert main(["--json", "models"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    llama, mixtral = rows["Llama 3.1 8B"], rows["Mixtral 8x7B"]
    assert (llama["parameters"], llama["kv_byte_per_token_bf16"], llama["experts"]) == (8_030_261_248, 131_072, None)
    assert (mixtral["active_parameters"], mixtral["experts"]["count"]) == (12_879_925_248, 8)
    assert all(row["source"]["ref"].startswith("https://") for row in rows.values())


def test_a_step_says_what_it_reads_what_it_takes_and_whether_it_fits(capsys):
    assert main(STEP) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:7] == [
        "Llama 3.1 8B on H200 SXM, bf16: a decode step of 32 sequences with 8,192 tokens each",
        "  weights       16.06 GB in bf16",
        "  cache         34.36 GB in bf16",
        "  memory        50.42 GB of 150.8 GB (sold as 141 GB): fits",
        "  bound         at least 10.35 ms kernel by kernel, 10.29 ms however fused",
        "  rate          at most 3,091 tokens/s kernel by kernel, 96.6 tokens/s for each sequence",
        "  at the sum    6.0% of the peak (MFU), 100% of the bandwidth (MBU)",
    ]
    assert lines[8].split()[:4] == ["Kernel", "of", "all", "layers"]
    assert [line.split("  ")[0] for line in lines[9:]][:3] == ["norm", "QKV projection", "attention"]
    assert lines[11].split() == ["attention", "137", "GFLOP", "34.4", "GB", "4.00", "7.16", "ms", "memory-bound"]


def test_a_step_in_json_has_si_units_and_adds_up(capsys):
    assert main([*STEP, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    step = decode_step(LLAMA_3_1_8B, 32, 8192)
    roof = device("H200 SXM").roof("bf16")
    assert answer["time"] == pytest.approx(total_time(step, roof), rel=1e-14)
    assert answer["tokens_per_second"] == pytest.approx(32 / total_time(step, roof), rel=1e-14)
    assert answer["fused_time"] == fused_time(step, roof, unavoidable_bytes(LLAMA_3_1_8B, 32, 8192))
    assert answer["weight_bytes"] == 16_060_522_496
    assert answer["cache_bytes"] == 32 * 8192 * 131_072
    assert (answer["memory"], answer["devices_needed"]) == (143_771 * 2**20, 1)
    assert [kernel["kernel"] for kernel in answer["kernels"]] == [kernel.name for kernel in step]
    assert sum(kernel["time"] for kernel in answer["kernels"]) == pytest.approx(answer["time"], rel=1e-14)
    assert sum(kernel["bytes"] for kernel in answer["kernels"]) == answer["bytes"]
    assert (answer["phase"], answer["format"], answer["cache"]) == ("decode", "bf16", "bf16")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("--weights int4", "weights       4.015 GB in int4"),
        ("--cache fp8", "cache         17.18 GB in fp8"),
        ("--weights fp8 --activations fp8", None),
        ("--format fp8", None),
        ("--new-tokens 4", None),
        ("--prefill", "cache         34.36 GB in bf16"),
    ],
)
def test_a_step_takes_formats_drafts_and_prefill(arguments, line, capsys):
    assert main([*STEP, *arguments.split()]) == 0
    lines = [text.strip() for text in capsys.readouterr().out.splitlines()]
    assert (line in lines) if line else True
    maths = "fp8" if "--format" in arguments or "--activations" in arguments else "bf16"
    what = "a prefill of 32 prompts" if "--prefill" in arguments else "a decode step of 32 sequences"
    assert lines[0] == f"Llama 3.1 8B on H200 SXM, {maths}: {what} with 8,192 tokens each"


ABOVE_THE_ROOF = """\
matmul on L40S, fp8
  bound         at least 58.29 µs
  measured      15.40 µs
  share         378% of what the bound allows: above the roof

  1.            The data comes from the L2 cache.
"""
ABOVE = ["above", "matmul", "--B", "1", "--D", "4096", "--F", "12288", "--dtype", "fp8", "--outputs", "bf16"]


def test_a_point_above_the_roof_gets_its_causes_in_words(capsys):
    assert main([*ABOVE, "--device", "L40S", "--time", "15.4 µs"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(ABOVE_THE_ROOF)
    assert "  it fits       All 50.4 MB fit in the L2 cache of " in said
    assert "--cache-control all" in said
    assert [line.split()[0] for line in said.splitlines() if re.match(r"  \d\. ", line)] == [
        "1.",
        "2.",
        "3.",
        "4.",
        "5.",
    ]
    assert all(len(line) <= 80 and line == line.rstrip() for line in said.splitlines())


def test_a_point_above_the_roof_in_json_has_si_units_and_its_causes(capsys):
    assert main([*ABOVE, "--device", "L40S", "--time", "15.4 µs", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["kernel"], answer["device"], answer["format"]) == ("matmul", "L40S", "fp8")
    assert answer["arguments"]["F"] == 12288
    assert (answer["time"], answer["bound"]) == (15.4e-6, pytest.approx(50_360_320 / 864e9))
    assert answer["share"] == pytest.approx(answer["bound"] / 15.4e-6)
    assert [cause["name"] for cause in answer["causes"]] == ["l2", "devices", "units", "work", "timing"]
    for cause in answer["causes"]:
        assert set(cause) == {"name", "grade", "title", "change", "test", "why", "bound", "share", "fit"}
    assert answer["causes"][-1]["bound"] is None


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("kernel --flops 242e9 --bytes 1e6 --device RTX-5090 --rate '242 TFLOP/s'", 1e-3),
        ("kernel --flops 0 --bytes 2.018e9 --device H100-PCIe --format fp32 --rate '2,018 GB/s'", 1e-3),
        ("kernel --flops 1e12 --bytes 1e6 --device L4 --format int8 --rate '500 TOP/s'", 2e-3),
        ("step 'Llama 3.1 70B' --batch 2 --context 128 --device H200-SXM --rate '310 tokens/s'", 2 / 310),
        ("step 'Llama 3.1 70B' --batch 1 --context 128 --prefill --device H200-SXM --rate '128 tokens/s'", 1.0),
        ("kernel --flops 1 --bytes 1 --device L4 --time 1", 1.0),
    ],
)
def test_a_rate_is_a_time(asked, seconds, capsys):
    assert main(["above", *shlex.split(asked), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["time"] == pytest.approx(seconds)


def test_the_full_square_of_a_prefill_may_have_a_mask(capsys):
    asked = "above attention-prefill --T 16384 --d-h 128 --heads 16 --device H100-SXM --time '1.785 ms'"
    assert main(shlex.split(f"{asked} --no-causal")) == 0
    assert "1.            The mask leaves out half of the scores" in capsys.readouterr().out
    # Where the mask is counted, the same time is below the roof; where it is not enough, it is no excuse.
    assert main(shlex.split(asked)) == 0
    assert "not above the roof" in capsys.readouterr().out
    assert main(shlex.split(asked.replace("1.785 ms", "0.8 ms"))) == 0
    assert "mask" not in capsys.readouterr().out


def test_a_point_below_its_roof_gets_its_share(capsys):
    assert main([*ABOVE, "--device", "L40S", "--time", "100 µs"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("  share         58% of what the bound allows: not above the roof\n")


def test_a_point_that_only_a_wrong_count_or_time_explains_says_so(capsys):
    assert main([*ABOVE, "--device", "L40S", "--time", "1 ns"]) == 0
    assert "no cause with a factor of its own fits" in capsys.readouterr().out


def test_drafts_raise_the_rate_where_the_step_is_memory_bound(capsys):
    def rate(*more):
        assert main([*STEP, *more, "--json"]) == 0
        return json.loads(capsys.readouterr().out)["tokens_per_second"]

    assert 3.8 < rate("--new-tokens", "4") / rate() < 4


def test_a_model_that_does_not_fit_says_how_many_devices_it_needs(capsys):
    assert (
        main(["step", "DeepSeek V3", "--device", "B300", "--batch", "1", "--context", "4,096", "--weights", "fp8"]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "DeepSeek V3 on B300, bf16: a decode step of 1 sequence with 4,096 tokens each"
    assert lines[3] == "  memory        671.3 GB of 288.4 GB (sold as 288 GB): needs at least 3 devices"
    assert lines[4].startswith("  bound         4.623 ms kernel by kernel with the experts expected, at least ")
    assert lines[4].endswith(" ms however fused and routed")
    assert lines[5].endswith(" tokens/s kernel by kernel"), "one sequence has no rate of its own beside the batch's"


def test_a_denoiser_has_a_prefill_and_no_cache(capsys):
    asked = ["step", "DiT XL/2", "--device", "L4", "--batch", "1", "--context", "256", "--prefill"]
    assert main(asked) == 0
    assert "  cache         none\n" in capsys.readouterr().out


# arguments, what the sentence says
STEPS_REFUSED = [
    (["step", "Llama 3.1", *STEP[2:]], "'Llama 3.1' comes in variants; write one of Llama 3.1 405B,"),
    (["step", "Llama 9", *STEP[2:]], "there is no model 'Llama 9' in the catalog"),
    ([*STEP, "--device", "H200"], "'H200' comes in variants; write one of H200 NVL, H200 SXM"),
    ([*STEP, "--batch", "0"], "batch is 0; it must be a positive, finite number"),
    ([*STEP, "--batch", "many"], "batch is 'many'; it must be a number, such as 4096 or 1e6"),
    ([*STEP, "--batch", "1.5"], "batch is 1.5; it must be a whole number, such as 32"),
    ([*STEP, "--new-tokens", "0.5"], "new_tokens is 0.5; it must be a whole number, such as 32"),
    ([*STEP, "--context", "-1"], "context is -1; it must be a positive, finite number"),
    ([*STEP, "--new-tokens", "0"], "new_tokens is 0; it must be a positive, finite count"),
    ([*STEP, "--weights", "bf61"], "weights is 'bf61', which is not a known number format; near it: bf16"),
    ([*STEP, "--cache", "bf61"], "cache is 'bf61', which is not a known number format; near it: bf16"),
    ([*STEP, "--format", "fp4"], "H200 SXM has no peak for 'fp4'; it has "),
    (["step", "DiT XL/2", *STEP[2:]], "DiT XL/2 has no decode: it works on all tokens at once; ask for its prefill"),
]


@pytest.mark.parametrize(("arguments", "sentence"), STEPS_REFUSED, ids=[" ".join(row[0]) for row in STEPS_REFUSED])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
def test_a_wrong_step_is_refused_in_one_line_on_standard_error(arguments, sentence, form, capsys):
    assert main([*form, *arguments]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith(f"roofline: {sentence}")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([word for word in STEP if word not in ("--device", "H200 SXM")], "--device"),
        (["step", "--device", "L4"], "MODEL"),
        (STEP[:-2], "--context"),
        ([*STEP, "--heads", "8"], "--heads"),
        (["devices", "--vendor", "AMD"], "--vendor"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_wrong_call_of_a_catalog_command_names_the_option(arguments, named, capsys):
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert named in said.err


def test_a_reader_that_has_seen_enough_gets_no_traceback():
    command = f"{sys.executable} -m roofline devices --json | head -1"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[\n", "")


STEP_WITH_SHARE = ["step", "Llama 3.1 8B", "--device", "H100 SXM", "--batch", "16", "--context", "8192"]


@pytest.mark.parametrize(("share", "value"), [("60%", 0.6), ("0.6", 0.6), ("100%", 1), ("1", 1)])
def test_a_share_of_the_roof_adds_an_estimate_and_leaves_the_bound_as_it_is(share, value, capsys):
    main([*STEP_WITH_SHARE, "--json"])
    plain = json.loads(capsys.readouterr().out)
    main([*STEP_WITH_SHARE, "--json", "--share", share])
    planned = json.loads(capsys.readouterr().out)
    roof = device("H100 SXM").roof("bf16").derated(value, value)
    estimate = planned.pop("estimated_time")
    assert estimate == pytest.approx(total_time(decode_step(LLAMA_3_1_8B, 16, 8192), roof), rel=1e-12)
    assert (planned.pop("share"), planned.pop("share_source")) == (value, None)
    assert [plain.pop(name) for name in ("share", "share_source", "estimated_time")] == [None] * 3
    assert planned == plain


# arguments, kind of the measurements
MEASURED = [
    ([*STEP_WITH_SHARE], "decode"),
    ([*STEP_WITH_SHARE, "--prefill"], "prefill"),
    ([*MATMUL], "matmul"),
    (["head-matmul", "--B", "32", "--heads", "128", "--D", "128", "--F", "512", "--device", "L4"], "matmul"),
    (["attention-decode", "--T", "8192", "--d-h", "128", "--device", "L4"], "attention"),
    (
        ["mla-decode", "--T", "8192", "--heads", "128", "--kv-rank", "512", "--rope", "64", "--device", "L4"],
        "attention",
    ),
    (["softmax", "--tokens", "1024", "--width", "4096", "--device", "L4", "--format", "fp32"], "bandwidth"),
    (["kernel", "--flops", "1e9", "--bytes", "1e6", "--device", "L4"], "matmul"),
    (["kernel", "--flops", "1e9", "--bytes", "1e9", "--device", "L4"], "bandwidth"),
]


@pytest.mark.parametrize(("arguments", "kind"), MEASURED)
def test_the_measured_share_is_the_median_of_its_kind_and_says_so(arguments, kind, capsys):
    reached = [point.share for point in measurements(kind) if point.above is None]
    assert main([*arguments, "--share", "measured"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "estimate" in line]
    assert f"measured median of {len(reached)} points ({kind})" in line
    assert f"{min(reached):.0%} to {max(reached):.0%}" in line
    assert line.split("  ")[1].strip().startswith(f"at {100 * statistics.median(reached):.2g}%")


@pytest.mark.parametrize("share", ["0", "0%", "-60%", "60", "101%", "nan", "inf", "most", "60 ms", ""])
def test_a_share_that_is_none_is_refused(share, capsys):
    assert main([*MATMUL, f"--share={share}"]) == 2
    assert capsys.readouterr().err == (
        f"roofline: share is {share!r}; it must be above 0% and at most 100%, such as 60%, or 'measured'\n"
    )
