from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.settings.layers import SettingsLayer, merge, nested, only, origin_of, read_layer


def write(folder, text, name="mine.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_gives_values_and_the_line_of_each(tmp_path):
    path = write(tmp_path, "lake: here\nevaluation:\n  seed: 7\n  measures: [P@1, F1]\n")
    layer, problems = read_layer(path)
    assert layer.values == {"lake": "here", "evaluation": {"seed": 7, "measures": ["P@1", "F1"]}}
    assert layer.origins[("evaluation", "measures")] == f"{path}, line 4"
    assert problems == []


def test_environment_variables_stand_in_texts_and_lists(tmp_path, monkeypatch):
    monkeypatch.setenv("CQA_TEST_SET", "/data")
    monkeypatch.delenv("CQA_TEST_UNSET", raising=False)
    layer, problems = read_layer(write(tmp_path, "a: ${CQA_TEST_SET}/x\nb: ['${CQA_TEST_UNSET:-../shared}/y', 3]\n"))
    assert layer.values == {"a": "/data/x", "b": ["../shared/y", 3]}
    assert problems == []


def test_a_variable_that_is_not_set_is_a_problem_with_its_line(tmp_path, monkeypatch):
    monkeypatch.delenv("CQA_TEST_UNSET", raising=False)
    path = write(tmp_path, "site: x\nlake: ${CQA_TEST_UNSET}/lake\n")
    [problem] = read_layer(path)[1]
    assert (problem.origin, problem.key) == (f"{path}, line 2", "lake")
    assert "CQA_TEST_UNSET is not set" in problem.what


def test_files_that_cannot_be_read_are_problems_and_no_exceptions(tmp_path):
    (tmp_path / "latin.yaml").write_bytes(b"lake: caf\xe9\n")
    reasons = {
        "absent.yaml": "cannot be read: No such file or directory",
        "latin.yaml": "cannot be read: it is not UTF-8 text",
        "broken.yaml": "invalid YAML: while parsing a flow sequence: expected ',' or ']', but got '<stream end>'",
        "list.yaml": "contains no settings",
        "twice.yaml": "lake is set twice",
    }
    write(tmp_path, "systems: [a, b\n", "broken.yaml")
    write(tmp_path, "- a\n", "list.yaml")
    write(tmp_path, "lake: a\nlake: b\n", "twice.yaml")
    for name, reason in reasons.items():
        [problem] = read_layer(tmp_path / name)[1]
        assert problem.what == reason


def test_merged_keys_have_a_line_and_keys_of_their_own_win(tmp_path):
    path = write(tmp_path, "search: &x\n  seed: 1\n  folds: 2\nevaluation:\n  seed: 3\n  <<: *x\n")
    layer, problems = read_layer(path)
    assert layer.values["evaluation"] == {"seed": 3, "folds": 2}
    assert layer.origins[("evaluation", "folds")] == f"{path}, line 3"
    assert layer.origins[("evaluation", "seed")] == f"{path}, line 5"
    assert problems == []


def test_an_empty_file_sets_nothing(tmp_path):
    layer, problems = read_layer(write(tmp_path, "# nothing\n"))
    assert (layer.values, problems) == ({}, [])


def test_the_last_layer_wins_lists_replace_and_nothing_unsets():
    below = SettingsLayer("below", {"a": 1, "s": {"x": [1, 2], "y": 2}, "t": {"z": 1}})
    above = SettingsLayer("above", {"a": None, "s": {"x": [3]}, "t": {}})
    assert merge([below, above]) == {"a": 1, "s": {"x": [3], "y": 2}, "t": {"z": 1}}


def test_the_origin_is_the_topmost_layer_that_has_the_key():
    below = SettingsLayer("below", origins={("s",): "below 1", ("s", "x"): "below 2", ("s", "y"): "below 3"})
    above = SettingsLayer("above", origins={("s",): "above 1", ("s", "x"): "above 2"})
    assert origin_of(("s", "x"), [below, above]) == "above 2"
    assert origin_of(("s", "y"), [below, above]) == "below 3"
    assert origin_of(("s", "z"), [below, above]) == "above 1"
    assert origin_of(("t",), [below, above]) == "config files and flags"


keys = st.lists(st.sampled_from("abc"), min_size=2, max_size=2).map(tuple)


@given(st.dictionaries(keys, st.integers()), st.dictionaries(keys, st.integers()))
def test_merging_is_updating_key_by_key(below, above):
    merged = merge([SettingsLayer("below", nested(below)), SettingsLayer("above", nested(above))])
    assert merged == nested({**below, **above})


def test_unknown_sections_are_left_out_whole():
    assert only({"a": {"b": 1, "c": 2}, "d": {"e": 3}}, {("a",), ("a", "b")}) == {"a": {"b": 1}}
