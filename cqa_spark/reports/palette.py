"""The report's colours: drawn as sentinel colours, shown as variables of the style sheet.

Matplotlib knows no CSS variables. Plots therefore draw with a reserved colour per role, and the emitted SVG carries
the variable in its place, so that one drawing serves light and dark mode. The colours themselves stand in
``templates/style.css``.
"""

from __future__ import annotations

import re

GROUPS = 8
"""Number of colours that tell feature groups apart; more groups start again with the first."""

ROLES = ("ink", "muted", "line", "accent", "loss", *(f"group-{number}" for number in range(1, GROUPS + 1)))

_SENTINEL = {role: f"#fa57{number:02x}" for number, role in enumerate(ROLES)}
_ROLE = {sentinel: role for role, sentinel in _SENTINEL.items()}
_PATTERN = re.compile("|".join(_SENTINEL.values()), re.IGNORECASE)


def sentinel(role: str) -> str:
    """The reserved colour that stands for a role while drawing."""
    return _SENTINEL[role]


def group_role(index: int) -> str:
    """The role of the feature group at this place, from 0."""
    return f"group-{index % GROUPS + 1}"


def themed(svg: str) -> str:
    """Replace every reserved colour by its CSS variable."""
    return _PATTERN.sub(lambda match: f"var(--{_ROLE[match[0].lower()]})", svg)
