"""Expressions: a call that many share runs once, and only where nothing that it uses can differ; sources are found."""

import pytest

from roofline.errors import ExpressionError
from roofline.expressions import Expressions, namespace


@pytest.fixture
def calls():
    """What `counted` was called with."""
    return []


@pytest.fixture
def expressions(calls):
    def counted(value):
        calls.append(value)
        return value

    return Expressions({**namespace(), "counted": counted, "four": 4})


@pytest.mark.parametrize(
    "texts",
    [
        ("counted(four) + 1", "counted(four) + 2"),
        ("counted(four) + counted(four)",),
        ("[counted(four) for _ in range(3)]",),
        ("sum(k for k in [counted(four)])", "max(counted(four), 1)"),
        ("max(\n  counted(four),\n  1)", "min(counted(four), 9)"),
        ("'≈ µ' + str(counted(four))", "counted(four)"),
    ],
    ids=["two texts", "twice in one", "in a loop", "beside a loop", "over lines", "behind characters of many bytes"],
)
def test_a_call_of_fixed_arguments_runs_once(expressions, calls, texts):
    for text in texts:
        expressions.evaluate(text)
    assert calls == [4]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[counted(k) for k in (1, 2, 1)]", [1, 2, 1]),
        ("[counted(four) for four in (1, 2)]", [1, 2]),
        ("(lambda k: counted(k))(1) + (lambda k: counted(k))(2)", 3),
        ("sum(counted(k) for k in (1, 2)) + sum(counted(k) for k in (3, 4))", 10),
        ("(k := counted(1)) + counted(k + 1)", 3),
    ],
    ids=["loop", "a loop that hides a name", "lambdas", "two loops of one name", "a name given on the way"],
)
def test_a_call_that_may_differ_runs_each_time(expressions, text, value):
    assert expressions.evaluate(text) == value


def test_what_is_not_reached_does_not_run(expressions, calls):
    assert expressions.evaluate("1 if four else counted(1 / 0)") == 1
    assert expressions.evaluate("four or counted(1)") == 4
    assert calls == []


def test_a_call_that_fails_fails_again(expressions):
    for _ in range(2):
        with pytest.raises(ExpressionError, match=r"^device\('A1'\).memory fails: .*A100 SXM 80GB"):
            expressions.evaluate("device('A1').memory")


USED = {
    "a value": ("14e9 / device('L4').bandwidth", ["L4 bandwidth"]),
    "a ridge point": ("device('L4').roof('bf16').ridge", ["L4 bf16", "L4 bandwidth"]),
    "one of a roof's two": ("device('L4').roof('bf16').peak", ["L4 bf16"]),
    "inside a call": ("critical_batch(4096, 4096, device('L4').roof('bf16'))", ["L4 bf16", "L4 bandwidth"]),
    "each once": ("device('L4').memory / device('L4').memory", ["L4 memory"]),
    "the least of many": ("min(device(name).bandwidth for name in ('L4', 'B200'))", ["L4 bandwidth"]),
    "the same in each turn": ("sum(14e9 / device('L4').bandwidth for _ in range(2))", ["L4 bandwidth"]),
    "another in each turn": ("sum(device(name).bandwidth for name in ('L4', 'B200'))", []),
    "none": ("2 * 4", []),
}


@pytest.mark.parametrize(("text", "names"), USED.values(), ids=USED.keys())
def test_the_datasheet_values_in_use_are_found(text, names):
    expressions = Expressions()
    assert [value.name for value in expressions.datasheet_values(text)] == names
    # Once more, when the calls do not run again.
    assert [value.name for value in expressions.datasheet_values(text)] == names
