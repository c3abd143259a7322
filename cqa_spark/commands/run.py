"""``cqa run``, all steps from files to a report and a published run; ``cqa demo``, the same on a generated forum."""

from cqa_spark import flows
from cqa_spark.commands.stages import print_report
from cqa_spark.errors import noted
from cqa_spark.lake.publishing import INDEX
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import run_flow
from cqa_spark.settings.conf_files import project_root
from cqa_spark.settings.file_commands import DemoSettings
from cqa_spark.settings.resolve import resolve
from cqa_spark.settings.run import RunSettings
from cqa_spark.settings.values import SAMPLE
from cqa_spark.synth.qatar_living import write_sample


def run(settings: RunSettings) -> None:
    """Run the flow, and print the table of systems."""
    finished = run_flow(flows.run(settings), settings)
    with noted(f"run {finished.run_id} is {'published' if settings.publish else 'finished, and not published'}"):
        print_report(finished)
        if settings.publish and settings.pages:
            Terminal().line(f"threads: {settings.lake}/{INDEX} searches them")
        Terminal().line(f"run: {finished.run_id}{', published' if settings.publish else ''}")


def demo(settings: DemoSettings) -> None:
    """Generate the sample if it is absent, and run all steps on it."""
    if not SAMPLE.exists():
        write_sample(SAMPLE, threads=200, dev_threads=60, seed=1)
    config = project_root() / "conf" / "demo.yaml"
    run(resolve("cqa demo", RunSettings, ["--config", str(config)], {}).settings)
