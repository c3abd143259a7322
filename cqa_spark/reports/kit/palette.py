"""The colour roles of plots, which follow the light and dark mode of the page.

Matplotlib knows no CSS variables. A plot therefore draws each role in a reserved colour, and the SVG gets the CSS
variable of the role in its place. ``kit/style.css`` defines the variables for both modes.
"""

from __future__ import annotations

import re

GROUPS = 8
"""Number of colours for feature groups; they repeat from the ninth group on."""

ROLES = ("ink", "muted", "line", "accent", "loss", *(f"group-{number}" for number in range(1, GROUPS + 1)))

_SENTINEL = {role: f"#fa57{number:02x}" for number, role in enumerate(ROLES)}
_ROLE = {sentinel: role for role, sentinel in _SENTINEL.items()}
_PATTERN = re.compile("|".join(_SENTINEL.values()), re.IGNORECASE)


def sentinel(role: str) -> str:
    """The reserved colour that a plot draws a role in."""
    return _SENTINEL[role]


def group_role(index: int) -> str:
    """The role of a feature group.

    Args:
        index: position of the group, from 0.
    """
    return f"group-{index % GROUPS + 1}"


def themed(svg: str) -> str:
    """Replace every reserved colour by its CSS variable."""
    return _PATTERN.sub(lambda match: f"var(--{_ROLE[match[0].lower()]})", svg)
