import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.evaluate import CANDIDATE, MeasuredPatterns, patterns
from cqa_spark.evaluation.measure import Candidate, RankedQuery
from cqa_spark.evaluation.measures import parse_measure

CANDIDATES = st.lists(
    st.builds(Candidate, st.booleans(), st.sampled_from([0.0, 1.0, 2.0]), st.booleans(), st.floats(-1, 1)), max_size=6
)


@given(st.lists(st.tuples(CANDIDATES, CANDIDATES), min_size=1, max_size=5), st.booleans())
def test_remembered_measures_are_those_of_each_query(queries, with_scores: bool) -> None:
    measures = [parse_measure(name) for name in ("MAP@10", "nDCG@3", "F1", *(["Pearson"] if with_scores else []))]
    known = MeasuredPatterns(measures)
    for ranked, unranked in queries * 2:
        both = enumerate([*ranked, *unranked])
        rows = [(place < len(ranked), *candidate) for place, candidate in both]
        query = RankedQuery(ranked, unranked)
        [pattern] = patterns(np.array(rows, CANDIDATE), np.array([len(rows)]), keep_scores=with_scores)
        found = known.components(pattern)
        assert found.components == tuple(measure.components(query) for measure in measures)
        assert found.values == tuple(measure.value(query) for measure in measures)
