"""The specification of a ranker in a recipe."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class RankerSpec(BaseModel):
    """Name and parameters of a ranker; omitted parameters have their defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    parameters: dict[str, Any] = Field(default_factory=dict)
