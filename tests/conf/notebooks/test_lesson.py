"""The exercises of the page: stubs that stop with a hint, solutions that pass, wrong answers that do not."""

import ast
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from conf.notebooks.lesson import parse_lesson
from tests.conf.notebooks import run_cells

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "practice" / "notebook.md"
LESSON = parse_lesson(PAGE.read_text(encoding="utf-8"))
WRONG = tomllib.loads(Path(__file__).with_name("wrong_answers.toml").read_text(encoding="utf-8"))["answer"]
CODE = [cell for cell in LESSON.cells if cell.kind == "code"]
CHECKS = [cell for cell in CODE if "check" in cell.tags and "measure" not in cell.tags]


def up_to_check(exercise, *answers):
    """Run all solutions above the check of an exercise, then some answers in place of its own, then the check."""
    check = CHECKS[exercise - 1]
    above = CODE[: CODE.index(check)]
    solved = [cell.source for cell in above if not cell.tags & {"stub", "check", "measure"}]
    return run_cells.run([*solved, *answers, check.source])[-1]


def test_there_are_five_exercises_each_with_stub_solution_and_check():
    kinds = [
        tag for cell in CODE for tag in ("stub", "solution", "check") if tag in cell.tags and "measure" not in cell.tags
    ]
    assert kinds == ["stub", "solution", "check"] * 5


@pytest.mark.parametrize("exercise", range(1, 6))
def test_a_check_passes_with_the_solution(exercise):
    result = up_to_check(exercise)
    assert result["error"] == ""
    assert f"Exercise {exercise}: right." in result["printed"]


@pytest.mark.parametrize("exercise", range(1, 6))
def test_a_check_stops_at_the_stub_with_a_hint(exercise):
    stub = [cell.source for cell in CODE if "stub" in cell.tags][exercise - 1]
    error = up_to_check(exercise, stub)["error"]
    assert error.startswith("AssertionError: ")
    assert "gives nothing yet. Hint: " in error


@pytest.mark.parametrize("exercise", range(1, 6))
def test_each_function_of_a_stub_is_asked_for_by_a_hint_of_its_own(exercise):
    """After completing one function, a student gets the hint for the next."""
    stub = [cell.source for cell in CODE if "stub" in cell.tags][exercise - 1]
    for function in ast.parse(stub).body:
        error = up_to_check(exercise, ast.unparse(function))["error"]
        assert "Hint: " in error, function.name


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong['exercise']}: {wrong['name']}")
def test_a_wrong_answer_is_refused_with_its_reason(wrong):
    assert wrong["says"] in up_to_check(wrong["exercise"], wrong["code"])["error"]


def test_each_exercise_has_at_least_three_wrong_answers():
    counts = Counter(wrong["exercise"] for wrong in WRONG)
    assert sorted(counts) == [1, 2, 3, 4, 5]
    assert min(counts.values()) >= 3


def test_the_notebooks_import_numpy_and_matplotlib_and_what_python_has():
    imported = set()
    for cell in CODE:
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module.split(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"numpy", "matplotlib"}


def test_the_student_sees_each_solution_folded_behind_its_check():
    student = LESSON.plain(lambda _: "").student()
    folds = [n for n, cell in enumerate(student) if "Show the solution" in cell.source]
    assert len(folds) == 5
    assert all(student[n].kind == "markdown" and "check" in student[n - 1].tags for n in folds)
    assert not [cell for cell in student if cell.kind == "code" and "solution" in cell.tags]
