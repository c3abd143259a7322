"""How many files the tables of a lake with many sites have, and what a night that changes one site writes.

    .venv/bin/python bench/many_sites.py --sites 181 --megabytes 500

The sites are invented; their sizes follow a power law, as those of Stack Exchange do. The first night reads all of
them. For the second, half of the threads of one site of middle size have a new answer, an edit or new votes, and only
the dump of this site is read.
"""

import argparse
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from nightly import change, night
from rich.console import Console
from rich.table import Column, Table

from cqa_spark.lake.lake import Lake
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.lake.table import DataFile
from cqa_spark.spark.session import spark_session
from cqa_spark.synth.stackexchange.dump import write_dump

BYTES_OF_A_THREAD = 11_000
EXPONENT = 1.2


def main() -> None:
    """Invent the sites, do both nights, count files."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="cqa-bench-", dir=arguments.scratch) as scratch:
        folder, lake = Path(scratch), Path(scratch) / "lake"
        threads = thread_numbers(arguments.sites, arguments.megabytes * 1_000_000)
        for number, wanted in enumerate(threads):
            write_dump(folder / "dumps", site=f"s{number:03d}.example.org", threads=wanted, seed=number, workers=1)
        size = sum(file.stat().st_size for file in (folder / "dumps").rglob("*.xml"))
        print(f"{arguments.sites} sites, {size / 1e6:,.0f} MB, {threads[0]:,} to {threads[-1]:,} threads")
        first = night(lake, folder / "dumps", arguments.system)
        before = files_by_table(lake)
        changed = f"s{arguments.sites // 2:03d}.example.org"
        shutil.copytree(folder / "dumps" / changed, folder / "second" / changed)
        change(folder / "second" / changed, 0.5)
        second = night(lake, folder / "second", arguments.system)
        after = files_by_table(lake)
    grid = Table("table", *[Column(name, justify="right") for name in ("files", "most of a site", "new", "of others")])
    others = 0
    for name, files in before.items():
        most = max(Counter(file.site for file in files.values()).values(), default=0)
        new = [file for path, file in after[name].items() if path not in files]
        foreign = sum(file.site != changed for file in new)  # also files without a site, which hold rows of several
        others += foreign
        grid.add_row(name, str(len(files)), str(most), str(len(new)), str(foreign))
    Console().print(grid)
    print(f"first night {first:.0f} s, second night {second:.0f} s; files written for other sites: {others}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=181)
    parser.add_argument("--megabytes", type=int, default=500, help="size of all dumps")
    parser.add_argument("--system", default="metadata_logistic_asof")
    parser.add_argument("--scratch", default=None, help="folder for what is written; removed afterwards")
    return parser.parse_args()


def thread_numbers(sites: int, size: int) -> list[int]:
    """Threads of each site, the largest first: the share of a site is its rank to the power of ``-EXPONENT``."""
    shares = [(rank + 1) ** -EXPONENT for rank in range(sites)]
    return [max(4, round(size / BYTES_OF_A_THREAD * share / sum(shares))) for share in shares]


def files_by_table(lake: Path) -> dict[str, dict[str, DataFile]]:
    """The published files of each table, by path."""
    tables = published_snapshot(Lake(lambda: spark_session("bench"), str(lake))).tables
    return {name: {file.path: file for file in tables[name].files} for name in sorted(tables)}


if __name__ == "__main__":
    main()
