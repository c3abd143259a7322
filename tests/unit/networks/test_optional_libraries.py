"""Ranking needs neither JAX nor ONNX, and what lists features, rankers and tasks imports no analyser."""

import subprocess
import sys

import pytest

_IMPORT = """
import importlib, pkgutil, sys


class Hidden:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {libraries!r}:
            raise ModuleNotFoundError(name + " is hidden", name=name)


sys.meta_path.insert(0, Hidden())
refused = []
for package in {packages!r}:
    parent = importlib.import_module("cqa_spark." + package)
    for module in pkgutil.walk_packages(parent.__path__, parent.__name__ + "."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError:
            refused.append(module.name.removeprefix("cqa_spark."))
print(*sorted(refused))
"""


@pytest.mark.slow
@pytest.mark.neural
@pytest.mark.parametrize(
    ("libraries", "packages", "refused"),
    [
        (
            ["jax", "onnx"],
            ["networks", "rankers", "text", "features"],
            "networks.graph networks.onnx_in_jax networks.training rankers.neural.architecture rankers.neural.training "
            "text.cross_encoder_layers text.cross_encoder_training",
        ),
        (
            ["sparknlp", "nltk", "textblob", "gensim", "onnxruntime"],
            ["rankers", "text", "features", "tasks"],
            "text.translation_measures",
        ),
    ],
)
def test_only_these_modules_need_a_library_when_they_are_imported(
    libraries: list[str], packages: list[str], refused: str
) -> None:
    program = _IMPORT.format(libraries=libraries, packages=packages)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == refused.split()
