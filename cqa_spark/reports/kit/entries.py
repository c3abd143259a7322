"""Entries of journal tables as plain values."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

from cqa_spark.lake.journal import Entry

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value", bound="DataclassInstance")


def from_entry(kind: type[Value], entry: Entry) -> Value:
    """A dataclass with the values of the columns that are named as its fields."""
    return kind(**{field.name: entry[field.name] for field in fields(kind)})
