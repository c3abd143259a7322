from pathlib import Path

import pytest
from refusals import refusal

from cqa_spark.process import failures
from cqa_spark.settings.conf_files import OVERLAY
from cqa_spark.spark import jars
from cqa_spark.steps.analyse import Analyse
from cqa_spark.text.analysers.analyser import analyser_in_use


def lay(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "text.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv(OVERLAY, str(folder))


def test_rules_are_in_use_unless_the_user_names_another_analyser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(OVERLAY, raising=False)
    assert analyser_in_use() == "rules"
    lay(tmp_path, "analyser: spark_nlp", monkeypatch)
    assert analyser_in_use() == "spark_nlp"


@pytest.mark.parametrize(
    ("text", "problem"), [("analyser: grammar", "unknown text analyser grammar"), ("analyzer: rules", "is invalid")]
)
def test_an_unknown_analyser_is_refused(
    text: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, text, monkeypatch)
    assert problem in str(refusal(analyser_in_use))


@pytest.mark.parametrize("scala", ["2.12", "2.13"])
def test_a_missing_jar_is_named_before_spark_starts(
    scala: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, "analyser: spark_nlp", monkeypatch)
    monkeypatch.setattr(failures, "find_spec", lambda name: name)
    monkeypatch.setattr(jars, "jars_folder", lambda: tmp_path)
    monkeypatch.setattr(jars, "SCALA", scala)
    needs = (
        f"the text analyser spark_nlp needs the jar com.johnsnowlabs.nlp:spark-nlp_{scala}, which is not in {tmp_path}"
    )
    assert refusal(Analyse().prepare) == needs
    (tmp_path / f"com.johnsnowlabs.nlp_spark-nlp_{scala}-5.5.3.jar").touch()
    assert refusal(Analyse().prepare) is None


def test_a_missing_extra_is_named_before_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, "analyser: spark_nlp", monkeypatch)
    monkeypatch.setattr(failures, "find_spec", lambda name: None)
    assert refusal(Analyse().prepare) == "the text analyser spark_nlp needs sparknlp, which is not installed"
