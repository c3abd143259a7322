"""XGBoost is imported without scikit-learn, which stays importable."""

import subprocess
import sys

_IMPORT = """
import sys
from cqa_spark.rankers.training import import_xgboost
before = list(sys.meta_path)
xgboost = import_xgboost()
assert xgboost.compat.SKLEARN_INSTALLED is False and xgboost.train and import_xgboost() is xgboost
assert sys.meta_path == before and "sklearn" not in sys.modules
import sklearn.base
"""


def test_scikit_learn_is_hidden_from_xgboost_alone() -> None:
    subprocess.run([sys.executable, "-c", _IMPORT], check=True)
