"""Sets of sentence pairs: what of a pair is compared with what."""

import numpy as np
import pandas as pd

from cqa_spark.steps.evaluate import components_by_set


def test_pairs_of_a_set_are_in_the_same_order_for_every_system() -> None:
    rows = [
        ("news", "mine", "news.2", [2.0, 20.0]),
        ("news", "base", "news.1", [5.0, 50.0]),
        ("tweets", "base", "tweets.1", [7.0, 70.0]),
        ("news", "base", "news.2", [6.0, 60.0]),
        ("news", "mine", "news.1", [1.0, 10.0]),
        ("tweets", "mine", "tweets.1", [3.0, 30.0]),
    ]
    sets = components_by_set(pd.DataFrame(rows, columns=["set", "system", "query_id", "components"]))
    assert {name: {system: rows.tolist() for system, rows in systems.items()} for name, systems in sets.items()} == {
        "news": {"base": [[5, 50], [6, 60]], "mine": [[1, 10], [2, 20]]},
        "tweets": {"base": [[7, 70]], "mine": [[3, 30]]},
    }
    assert sets["news"]["mine"].dtype == np.float64
