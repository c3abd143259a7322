"""Makes control characters visible, so that user text can neither control a terminal nor be hidden."""

import re

_ASCII = r"\x00-\x08\x0b-\x1f\x7f"
_OTHERS = r"\x80-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
"""C1 controls, which some terminals execute; directional overrides, which reorder a line; unpaired surrogates and
noncharacters, which XML does not allow."""

_CONTROL = re.compile(f"[{_ASCII}{_OTHERS}]")


def visible(text: str) -> str:
    """Replace control characters by their pictures, such as ``␛``, or by escapes; tabs and line breaks are kept."""
    return _CONTROL.sub(lambda match: _picture(match[0]), text)


def visible_line(text: str) -> str:
    """Like ``visible``, but tabs and line breaks are replaced as well, so the text stays on one line."""
    return visible(text).replace("\n", "␊").replace("\t", "␉")


def _picture(character: str) -> str:
    code = ord(character)
    if code == 0x7F:
        return "␡"
    return chr(0x2400 + code) if code < 0x20 else character.encode("unicode_escape").decode("ascii")
