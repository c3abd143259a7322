"""The model of the package: small, without words, of these feature groups, and it scores as when it was made."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from saved_folders import NEARBY

from cqa_spark.errors import ContractError
from cqa_spark.features.registry import group_class
from cqa_spark.lake.model_folder import open_model_folder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.steps.kept_models import kept_model
from cqa_spark.systems.shipped_models import shipped_card, shipped_model
from cqa_spark.systems.system import read_system
from cqa_spark.systems.trained_system import load_system

NAME, BY_VOTES = "night_answers", "votes_then_length"
LONGEST_TEXT = 400
"""Of the recipe's ``about`` and the like; posts are longer."""


def folder() -> Path:
    path = shipped_model(NAME)
    assert path is not None
    return Path(path)


def test_a_system_without_a_shipped_model_has_none() -> None:
    assert shipped_model("first_answer") is None
    assert shipped_card("first_answer") is None


def test_it_is_small_and_its_manifest_lists_every_file() -> None:
    files = [path for path in folder().rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    listed = json.loads((folder() / "manifest.json").read_text())["files"]
    assert {str(path.relative_to(folder())) for path in files} == {*listed, "manifest.json"}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from strings(each)


def test_ids_and_hashes_are_all_that_it_has_of_posts() -> None:
    card = shipped_card(NAME)
    assert card is not None
    rows = pq.read_table(folder() / "threads")
    assert rows.schema.names == ["site", "task", "query_id", "fold_key", "fingerprint"]
    assert pa.types.is_int64(rows.schema.field("fingerprint").type)
    assert all(row.isdecimal() for name in ("query_id", "fold_key") for row in rows[name].to_pylist())
    assert set(rows["task"].to_pylist()) == {"preferred_answer"}
    assert sorted(set(rows["site"].to_pylist())) == [site.site for site in card.sites]
    assert rows.num_rows == sum(site.threads for site in card.sites)
    texts = [text for path in folder().rglob("*.json") for text in strings(json.loads(path.read_text()))]
    assert max(map(len, texts)) < LONGEST_TEXT


def test_the_card_tells_that_each_site_is_served_better_than_by_votes_then_length() -> None:
    card = shipped_card(NAME)
    assert card is not None
    by_key = {(row.order, row.reference, row.population, row.band): row for row in card.figures}
    all_nights = by_key[NAME, BY_VOTES, "nights", "all"]
    assert (len(card.sites), card.labels, all_nights.threads) == (16, 791, 791)
    assert all_nights.nights == sum(site.queries for site in card.sites)
    assert all_nights.difference > 0.03
    assert all_nights.p_value < 0.05
    bands = [row for row in card.figures if row.order == NAME and row.reference == BY_VOTES]
    assert all(row.high_difference > 0 for row in bands)


def test_it_scores_literal_features_as_when_it_was_made() -> None:
    saved, model = load_system(open_model_folder(str(folder()), "trained_system", NEARBY))
    assert saved.system == read_system(NAME)
    values = np.zeros((4, len(saved.features)))
    places = {name: place for place, name in enumerate(saved.features)}
    for row in (0, 2):
        values[row, places["answer_standing_asof_v1__net"]] = 1.5
        values[row, places["answer_markup_asof_v1__characters"]] = 7.0
    sites = ["new.example.org"] * 2 + ["beer.stackexchange.com"] * 2
    examples = pa.table({"site": sites, "fold_key": ["1"] * 4})
    scores = model.score(Candidates(examples, saved.features, values))
    assert scores.tolist() == pytest.approx(SCORES, abs=1e-12)


SCORES = [-0.8888902051594018, -1.5724159018696535, -0.9177888691478833, -1.5605321192348778]
"""Of a site that the model has not seen by the model on all sites; of one that it has seen, by that without it."""


def test_a_first_night_uses_it_and_a_system_of_another_recipe_is_trained() -> None:
    system = read_system(NAME)
    assert kept_model(system, None, NEARBY) == str(folder())
    without_markup = tuple(group for group in system.feature_groups if "markup" not in group)
    assert kept_model(system.model_copy(update={"feature_groups": without_markup}), None, NEARBY) is None


def test_a_model_of_other_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    system = read_system(NAME)
    assert kept_model(system, None, NEARBY) == str(folder())
    timing: Any = group_class("answer_timing_asof_v1")
    compute = timing.compute
    monkeypatch.setattr(timing, "compute", lambda self, batch: {**compute(self, batch), "gap": np.zeros(len(batch))})
    assert kept_model(system, None, NEARBY) is None
    with pytest.raises(ContractError, match="learned from other values than those that its feature groups") as caught:
        shipped_card(NAME)
    assert caught.value.remedy.startswith(f"train it again: cqa train nights --system {NAME} --input DUMPS --model ")


def test_a_reworded_column_or_recipe_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    group = group_class("answer_timing_asof_v1")
    monkeypatch.setattr(group, "columns", tuple(replace(each, about="Otherwise said.") for each in group.columns))
    assert shipped_card(NAME) is not None
    assert kept_model(read_system(NAME).model_copy(update={"about": "Another."}), None, NEARBY) == str(folder())
