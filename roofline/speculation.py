"""Speculative decoding: how many tokens a draft is expected to yield."""

from __future__ import annotations

from .arguments import amount, anywhere
from .errors import InvalidValue
from .types import S, Size


def expected_tokens(accepted: Size[S], drafted: Size[S]) -> S:
    """Return the tokens that one verification of a draft is expected to give (speculative decoding).

    Parameters
    ----------
    accepted : float, numpy.ndarray or sympy.Expr
        Chance that the model accepts a drafted token, at least 0 and below 1.
    drafted : float
        Drafted tokens, 0 or more; the step has this many and one more as ``new_tokens``.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        ``(1 - a^(n + 1)) / (1 - a)``, from 1 to n + 1: the accepted part of the draft, and one token of the model.

    Raises
    ------
    InvalidValue
        Where a number breaks its rule.

    Notes
    -----
    Source: Leviathan, Kalman and Matias (2023), equation 1, with chances that do not depend on each other.

    Examples
    --------
    >>> round(expected_tokens(0.8, 4), 2)
    3.36
    """
    rule = "a chance of at least 0 and below 1"
    accepted = amount("accepted", accepted, rule, zero=True)
    drafted = amount("drafted", drafted, "a count, 0 or more", zero=True)
    if anywhere(accepted >= 1):
        raise InvalidValue(f"accepted is {accepted}; it must be {rule}")
    return (1 - accepted ** (drafted + 1)) / (1 - accepted)
