"""A folder of settings or data that cannot be listed is no empty one."""

import errno
import os
from pathlib import Path

import pytest
import yaml

from cqa_spark.cli import main
from cqa_spark.settings import research_data
from cqa_spark.settings import yaml as yaml_files
from cqa_spark.settings.conf_files import project_root
from cqa_spark.settings.yaml import MAX_BYTES, MAX_DEPTH, MAX_VALUES, YamlError, named_files, parse_yaml, read_yaml


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
def test_a_folder_of_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    (tmp_path / "b.yaml").touch()
    (tmp_path / "a.yaml").touch()
    (tmp_path / "a.yml").touch()
    assert list(named_files(tmp_path).items()) == [("a", tmp_path / "a.yaml"), ("b", tmp_path / "b.yaml")]
    assert named_files(tmp_path / "absent") == named_files(tmp_path / "a.yml") == {}

    def fail(path: Path) -> list[str]:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(os, "listdir", fail)
    with pytest.raises(OSError, match=os.strerror(code)):
        named_files(tmp_path)


def test_a_folder_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(iter(research_data._described()))
    assert research_data.locate(tmp_path, path) == tmp_path / path

    def fail(folder: str) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", folder)

    monkeypatch.setattr(os, "scandir", fail)
    with pytest.raises(PermissionError):
        research_data.locate(tmp_path, path)


ALIAS_BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 12)
)
MERGE_BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}]}}\n" for level in range(1, 12)
)
NESTED = "".join(f"{'  ' * level}a:\n" for level in range(MAX_DEPTH + 1))
HOSTILE = {
    "python tag": ("lake: !!python/object/apply:os.getcwd []", "line 1, column 7"),
    "local tag": ("lake: !mine x", "line 1, column 7"),
    "not a number": ("features:\n  folds: !!int abc", "line 2, column 10"),
    "empty number": ("features:\n  folds: !!int ''", "line 2, column 10"),
    "not a truth value": ("publish: !!bool x", "line 1, column 10"),
    "timestamp": ("lake: !!timestamp x", "line 1, column 7"),
    "long number": (f"lake: 0x{'f' * 5000}", "line 1, column 7"),
    "alias to itself": ("systems: &a [x, *a]", "line 1, column 10"),
    "merge of itself": ("spark: &a {<<: *a}", "line 1, column 8"),
    "unknown alias": ("systems: *a", "line 1, column 10"),
    "merge of a text": ("spark: {<<: x}", "line 1, column 13"),
    "a key that is a list": ("[a, b]: c", "line 1, column 1"),
    "the same key twice": ("lake: a\nspark: {}\nlake: b", "line 3, column 1"),
    "NUL": ("lake: a\nsite: b\0", "line 2, column 8"),
    "escape": ("lake: \x1b[31m", "line 1, column 7"),
    "no character": ('lake: "\\UFFFFFFFF"', "line 1, column 10"),
    "long version": (f"%YAML 1.{'9' * 5000}\n---\nlake: a", "line 1, column 9"),
    "two documents": ("lake: a\n---\nlake: b", "line 2, column 1"),
    "deep lists": (f"systems: {'[' * 100_000}", f"line 1, column {10 + MAX_DEPTH - 1}"),
    "deep mappings": (NESTED, f"line {MAX_DEPTH}, column {2 * MAX_DEPTH - 1}"),
    "many values": (f"systems: [{'x, ' * MAX_VALUES}]", "line 1, column"),
    "alias bomb": (ALIAS_BOMB, "line "),
    "merge bomb": (MERGE_BOMB, "line "),
}


@pytest.mark.parametrize(("text", "place"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_config_file_ends_the_job_with_2_and_names_line_and_column(tmp_path, capsys, text, place):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["runs", "list", "--lake", "x", "--config", str(path)]) == 2
    shown = capsys.readouterr().err
    assert f"1 invalid setting; nothing was read or written\n  - {path}, {place}" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("bomb", [ALIAS_BOMB, MERGE_BOMB], ids=["alias", "merge"])
def test_a_bomb_costs_no_more_steps_than_the_limit(monkeypatch, bomb):
    steps = 0

    def counted(values, depth, mark, check=yaml_files.check_limits):
        nonlocal steps
        steps += 1
        check(values, depth, mark)

    monkeypatch.setattr(yaml_files, "check_limits", counted)
    with pytest.raises(YamlError, match="more than 10,000 values"):
        parse_yaml(bomb, "bomb")
    composed = 1 + 12 * (1 + 1 + 9 + 2)
    assert steps <= MAX_VALUES + 1 + composed


def test_a_chain_of_aliases_counts_as_nesting():
    chain = "a0: &a0 []\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, MAX_DEPTH))
    with pytest.raises(YamlError, match=f"nested deeper than {MAX_DEPTH} levels"):
        parse_yaml(chain, "chain")


def test_values_are_plain_and_dates_stay_texts():
    text = "a: [1, 2.5, true, null, x, '1']\nb: {c: 2016-06-16}\n5: yes\n"
    document = parse_yaml(text, "here")
    assert document.value == {"a": [1, 2.5, True, None, "x", "1"], "b": {"c": "2016-06-16"}, "5": True}
    assert document.origins == {
        ("a",): "here, line 1", ("b",): "here, line 2", ("b", "c"): "here, line 2", ("5",): "here, line 3",
    }  # fmt: skip


def test_merged_keys_yield_to_those_of_the_mapping_and_earlier_sources_win():
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\n"
    assert parse_yaml(text, "here").value["c"] == {"x": 1, "y": 1, "z": 3}


def test_a_file_has_a_size_limit(tmp_path):
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * MAX_BYTES)
    assert read_yaml(path).value is None
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(YamlError, match="is larger than 262,144 bytes"):
        read_yaml(path)


@pytest.mark.parametrize("folder", ["", "systems", "datasets"])
def test_the_files_of_the_project_mean_what_pyyaml_says(folder):
    files = named_files(project_root() / "conf" / folder)
    assert files
    for path in files.values():
        assert read_yaml(path).value == yaml.safe_load(path.read_text(encoding="utf-8"))
