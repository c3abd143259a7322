"""Converts the bytes of values to numbers, times and booleans, in compiled code.

Only the forms in which dumps write them are read here. A value of another form counts as unfit, and its row is left to
the parser, which knows all forms (``values.py``). An empty value is no value.
"""

import numba
import numpy as np
import numpy.typing as npt

from cqa_spark.corpora.stackexchange.characters import Bytes
from cqa_spark.corpora.stackexchange.scanner import Positions, is_word
from cqa_spark.corpora.stackexchange.values import FIRST_YEAR, LAST_YEAR

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_MOST_DIGITS = 18
"""Digits that surely fit into 64 bits."""

_MINUS, _ZERO, _NINE = b"-09"
_DASH, _COLON, _POINT, _T = b"-:.T"
_DAYS = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_SECOND = 1_000_000
_TRUE, _FALSE = np.frombuffer(b"True", np.uint8), np.frombuffer(b"False", np.uint8)


@numba.njit(cache=True, nogil=True)
def whole_numbers(
    text: Bytes, starts: Positions, stops: Positions, lowest: int, highest: int, numbers: Numbers, fits: Flags
) -> None:
    """Read integers in canonical form: without blanks, plus signs and leading zeros.

    Args:
        text: the bytes.
        starts: start of each value, negative without one.
        stops: end of each value.
        lowest: least allowed number.
        highest: greatest allowed number.
        numbers: receives the numbers; 0 without a value.
        fits: is set to False for values that are none.
    """
    for row in range(len(starts)):
        numbers[row] = 0
        position, stop = starts[row], stops[row]
        if position < 0 or position == stop:
            continue
        is_negative = text[position] == _MINUS
        position += is_negative
        digits = stop - position
        number = np.int64(0)
        is_number = 0 < digits <= _MOST_DIGITS
        is_number = is_number and (text[position] != _ZERO or (digits == 1 and not is_negative))
        if is_number:
            for index in range(position, stop):
                byte = text[index]
                is_number = is_number and _ZERO <= byte <= _NINE
                number = number * 10 + (byte - _ZERO)
        if is_negative:
            number = -number
        if is_number and lowest <= number <= highest:
            numbers[row] = number
        else:
            fits[row] = False


@numba.njit(cache=True, nogil=True)
def times(text: Bytes, starts: Positions, stops: Positions, moments: Numbers, fits: Flags) -> None:
    """Read times such as ``2021-03-04T05:06:07.089``, with up to nine decimals or none, and days.

    Args:
        text: the bytes.
        starts: start of each value, negative without one.
        stops: end of each value.
        moments: receives the times, in microseconds since 1970; 0 without a value.
        fits: is set to False for values that are no times of the years ``FIRST_YEAR`` to ``LAST_YEAR``.
    """
    for row in range(len(starts)):
        moments[row] = 0
        start, stop = starts[row], stops[row]
        length = stop - start
        if start < 0 or length == 0:
            continue
        is_time = length == 10 or length == 19 or 21 <= length <= 29
        year = month = day = hour = minute = second = micro = 0
        if is_time:
            year = _number(text, start, start + 4)
            month = _number(text, start + 5, start + 7)
            day = _number(text, start + 8, start + 10)
            is_time = text[start + 4] == _DASH and text[start + 7] == _DASH and min(year, month, day) >= 0
        if is_time and length > 10:
            hour = _number(text, start + 11, start + 13)
            minute = _number(text, start + 14, start + 16)
            second = _number(text, start + 17, start + 19)
            is_time = text[start + 10] == _T and text[start + 13] == _COLON and text[start + 16] == _COLON
            is_time = is_time and 0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60
        if is_time and length > 19:
            micro = _number(text, start + 20, min(stop, start + 26))
            is_time = text[start + 19] == _POINT and micro >= 0
            for index in range(start + 26, stop):
                is_time = is_time and _ZERO <= text[index] <= _NINE
            for _ in range(length, 26):
                micro *= 10
        is_time = is_time and FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12
        if is_time:
            is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
            is_time = 1 <= day <= _DAYS[month] and (month != 2 or day < 29 or is_leap)
        if is_time:
            seconds = ((_days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
            moments[row] = seconds * _SECOND + micro
        else:
            fits[row] = False


@numba.njit(cache=True, nogil=True)
def booleans(text: Bytes, starts: Positions, stops: Positions, numbers: Numbers, fits: Flags) -> None:
    """Read ``True`` and ``False``.

    Args:
        text: the bytes.
        starts: start of each value, negative without one.
        stops: end of each value.
        numbers: receives 1 for true, else 0.
        fits: is set to False for values that are neither.
    """
    for row in range(len(starts)):
        numbers[row] = 0
        start, stop = starts[row], stops[row]
        if start < 0 or start == stop:
            continue
        if is_word(text, start, stop, _TRUE):
            numbers[row] = 1
        elif not is_word(text, start, stop, _FALSE):
            fits[row] = False


@numba.njit(cache=True, nogil=True)
def _number(text: Bytes, start: int, stop: int) -> int:
    """The number of some digits; negative if there is anything else among them."""
    number = 0
    for position in range(start, stop):
        byte = text[position]
        if byte < _ZERO or byte > _NINE:
            return -1
        number = number * 10 + (byte - _ZERO)
    return number


@numba.njit(cache=True, nogil=True)
def _days_since_1970(year: int, month: int, day: int) -> int:
    """Days of the Gregorian calendar.

    Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
    """
    if month <= 2:
        year -= 1
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468
