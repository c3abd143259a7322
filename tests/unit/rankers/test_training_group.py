"""What training together needs: executors that stay, and XGBoost, imported without scikit-learn."""

import subprocess
import sys

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.rankers import training_group
from cqa_spark.rankers.calibrated import CalibratedParameters
from cqa_spark.rankers.logistic_regression import LogisticRegressionParameters
from cqa_spark.rankers.registry import RankerSpec

_IMPORT = """
import sys
from cqa_spark.rankers.training_group import import_xgboost
before = list(sys.meta_path)
xgboost = import_xgboost()
assert xgboost.compat.SKLEARN_INSTALLED is False and xgboost.train and import_xgboost() is xgboost
assert sys.meta_path == before and "sklearn" not in sys.modules
import sklearn.base
"""


def test_scikit_learn_is_hidden_from_xgboost_alone() -> None:
    subprocess.run([sys.executable, "-c", _IMPORT], check=True)


def test_several_workers_are_refused_where_executors_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    for dynamic, workers in ((False, 2), (True, 1), (True, "auto")):
        monkeypatch.setattr(training_group, "executors_come_and_go", lambda dynamic=dynamic: dynamic)
        LogisticRegressionParameters(workers=workers).require_environment()
    several = RankerSpec(name="logistic_regression", parameters={"workers": 2})
    for parameters in (LogisticRegressionParameters(workers=2), CalibratedParameters(member=several)):
        with pytest.raises(ConfigError, match="2 training workers") as refusal:
            parameters.require_environment()
        assert "spark.dynamicAllocation.enabled=false" in refusal.value.remedy
