"""Examples in docstrings, run as they are printed; those that start Spark run in ``tests/integration/api/``."""

from pathlib import Path

import pytest
from docstring_examples import run_examples
from small_runs import write_published_metrics

import cqa_spark

ROOT = Path(cqa_spark.__file__).parents[1]
WITH_SPARK = {"cqa_spark.api.estimators"}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.glob("cqa_spark/**/*.py")
    if ">>>" in path.read_text()
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the examples read: a lake with a published and a failed run, a qrels file and a ranking."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "dev.qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 0\nq2 0 b 1\n")
    (folder / "best_a.run").write_text("q1 Q0 a 1 0.9 x\nq1 Q0 b 2 0.2 x\nq2 Q0 a 1 0.7 x\nq2 Q0 b 2 0.4 x\n")
    (folder / "build/sample").mkdir(parents=True)
    for name in ("train.xml", "dev.xml"):
        (folder / "build/sample" / name).touch()
    write_published_metrics(folder / "build/lake")
    return folder


@pytest.mark.parametrize("module", sorted(MODULES - WITH_SPARK))
def test_examples_print_what_they_show(module: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert run_examples(module) > 0


def test_every_measure_has_an_example_in_its_module() -> None:
    folder = ROOT / "cqa_spark/evaluation/measures"
    assert {f"cqa_spark.evaluation.measures.{path.stem}" for path in folder.glob("[a-z]*.py")} <= MODULES
