"""What ``pyproject.toml`` cannot say: ``conf/`` and ``jobs/`` are part of the wheel, as folders of the package."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["cqa_spark*"]), "cqa_spark.conf", "cqa_spark.jobs"],
    package_dir={"cqa_spark.conf": "conf", "cqa_spark.jobs": "jobs"},
    package_data={
        "cqa_spark": ["py.typed", "*.pyi"],
        "cqa_spark.commands": ["templates/*.j2"],
        "cqa_spark.conf": ["**/*"],
        "cqa_spark.reports": ["**/*.j2", "**/*.css", "**/*.js"],
        "cqa_spark.synth": ["**/*.yaml"],
    },
)
