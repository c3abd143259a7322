"""``cqa demo``: the whole pipeline on a generated forum, in any folder."""

from pathlib import Path

from cqa_spark.commands.run import run
from cqa_spark.config.file_commands import DemoSettings
from cqa_spark.config.project_root import project_root
from cqa_spark.config.resolve import resolve
from cqa_spark.config.run_settings import RunSettings
from cqa_spark.synth.qatar_living import write_sample

SAMPLE = Path("build/sample")
"""The folder of the dumps that conf/demo.yaml reads."""


def demo(settings: DemoSettings) -> None:
    """Generate the sample if it is absent, and run all steps on it."""
    if not SAMPLE.exists():
        write_sample(SAMPLE, threads=200, dev_threads=60, seed=1)
    config = project_root() / "conf" / "demo.yaml"
    run(resolve("cqa demo", RunSettings, ["--config", str(config)], {}).settings)
