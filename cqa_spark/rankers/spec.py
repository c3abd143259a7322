"""A ranker as recipes name it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class RankerSpec(BaseModel):
    """Which ranker, and its parameters; what is not given has the ranker's default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    parameters: dict[str, Any] = Field(default_factory=dict)
