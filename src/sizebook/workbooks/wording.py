"""Figures in sentences: formulas that write a number with the digits that its size asks for, so that none reads 0.0."""

from __future__ import annotations


def worded(value: str) -> str:
    """Return the formula of a figure's text: whole from 100, a decimal from 1, two or three digits below."""
    small = f'IF(ABS({value})>=0.001,"0.0##","0.0E+00")'
    return f'TEXT({value},IF(ABS({value})>=100,"#,##0",IF(ABS({value})>=1,"0.0",IF({value}=0,"0",{small}))))'


def usd(value: str) -> str:
    """Return the formula of an amount's text: millions as M, below that in dollars."""
    return f'"$"&IF(ABS({value})>=10^6,TEXT({value}/10^6,"#,##0.00")&" M",{worded(value)})'


def between(low: str, high: str, after: str = "") -> str:
    """Return the formula of a range, ``12.5 to 20.1``, with a text behind it."""
    return f'={worded(low)}&" to "&{worded(high)}' + (f'&"{after}"' if after else "")
