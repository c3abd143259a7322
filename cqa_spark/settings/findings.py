"""The settings of findings: how related questions are judged."""

from typing import Literal

from pydantic import Field

from cqa_spark.settings.sections import SettingsSection
from cqa_spark.settings.values import EmbeddingModelName

MOST_EMBEDDED = 100_000
"""Questions of a site up to which they are embedded, unless the settings say otherwise."""


class FindingSettings(SettingsSection):
    """How findings are made."""

    flag_prefix = ""
    rare = frozenset({"related", "encoder"})

    related: Literal["words", "text"] | None = Field(
        default=None,
        description="judge related questions by words alone, or by embeddings of their texts, too, which take about "
        f"10 ms a text, once; default: text on sites of up to {MOST_EMBEDDED:,} questions",
    )
    encoder: EmbeddingModelName = Field(default="bge_small_en", description="embedding model of questions")
