"""What a night reports that fails between publishing and exporting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.steps import export

TRUE = (
    "run r2 is published, and exports/current.json is unchanged; the next nightly run exports again, "
    "or run: cqa export --lake build/lake"
)


@pytest.mark.parametrize("error", [AnotherWriter("gone", "wait"), KeyboardInterrupt(), ZeroDivisionError("oops")])
def test_a_night_that_published_and_did_not_export_notes_so(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: Any) -> str:
        raise error

    run: Any = SimpleNamespace(run_id="r2", lake=SimpleNamespace(root="build/lake"))
    monkeypatch.setattr(export, "leased", lambda run: None)
    monkeypatch.setattr(export, "published_snapshot", lambda lake: None)
    monkeypatch.setattr(export, "current_export", fail)
    with pytest.raises(type(error)) as raised:
        export.Export("best").execute(run, StepRecord("export"))
    assert raised.value.__notes__ == [TRUE]
