"""The only import of XGBoost: without scikit-learn, which takes three quarters of the import's two seconds."""

import sys
from collections.abc import Sequence
from threading import get_ident
from types import ModuleType


def import_xgboost() -> ModuleType:
    """Import XGBoost, and return it.

    Only its estimators need scikit-learn, and it works without. Workers import it once each, so on a small night the
    import would take more time than the trees.
    """
    hidden = _Hidden("sklearn")
    sys.meta_path.insert(0, hidden)
    try:
        import xgboost
    finally:
        sys.meta_path.remove(hidden)
    return xgboost


class _Hidden:
    """Hides a package from the current thread; others may import it meanwhile."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread = get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == self._name and get_ident() == self._thread:
            raise ModuleNotFoundError(f"{name} is hidden from XGBoost", name=name)
