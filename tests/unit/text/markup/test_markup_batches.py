import pyarrow as pa

from cqa_spark.text.markup import parse_batches


def test_batches_keep_their_rows_and_null_is_empty() -> None:
    batches = [
        pa.RecordBatch.from_pydict({"body_id": ["1", "2"], "body": ["<p>a</p><pre>b</pre>", None]}),
        pa.RecordBatch.from_pydict({"body_id": ["3"], "body": ['<blockquote>q</blockquote><a href="l"><img src="i">']}),
        pa.RecordBatch.from_pydict({"body_id": pa.array([], pa.string()), "body": pa.array([], pa.string())}),
    ]
    assert [batch.to_pylist() for batch in parse_batches(batches)] == [
        [
            {"body_id": "1", "prose": "a", "code": ["b"], "quotes": [], "links": [], "images": []},
            {"body_id": "2", "prose": "", "code": [], "quotes": [], "links": [], "images": []},
        ],
        [{"body_id": "3", "prose": "", "code": [], "quotes": ["q"], "links": ["l"], "images": ["i"]}],
        [],
    ]
