"""The digest by which machines see whether they would do the same: it changes with all that decides what comes out."""

import platform
from importlib.metadata import PackageNotFoundError, version

import pytest

from experiments import code_digest, provenance


def digest():
    return code_digest.code_digest.__wrapped__()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of a few files."""
    monkeypatch.setattr(code_digest, "ROOT", tmp_path)
    for package in code_digest.PACKAGES:
        (tmp_path / package / "within").mkdir(parents=True)
        (tmp_path / package / "within" / "code.py").write_text("code")
    return tmp_path


@pytest.mark.parametrize(
    "file", ["marriage_env/a.py", "agents/weights/a.safetensors", "agents/weights/a.json", "experiments/within/code.py"]
)
def test_it_changes_with_code_models_and_their_cards(file, checkout):
    before = digest()
    assert digest() == before
    (checkout / file).parent.mkdir(exist_ok=True)
    (checkout / file).write_text("new")
    with_it = digest()
    (checkout / file).write_text("newer")
    assert len({before, with_it, digest()}) == 3


def test_it_does_not_change_with_what_is_made_of_code(checkout):
    before = digest()
    (checkout / "agents" / "__pycache__").mkdir()
    (checkout / "agents" / "__pycache__" / "code.pyc").write_text("compiled")
    assert digest() == before


@pytest.mark.parametrize("library", provenance.LIBRARIES)
def test_it_changes_with_each_library_also_with_one_that_is_not_there(library, checkout, monkeypatch):
    def other(name):
        if name == library:
            raise PackageNotFoundError
        return "1.0"

    monkeypatch.setattr(provenance, "version", lambda name: "1.0")
    before = digest()
    monkeypatch.setattr(provenance, "version", other)
    assert provenance.versions()[library] == "absent"
    assert digest() != before


def test_it_changes_with_the_last_part_of_the_version_of_python(checkout, monkeypatch):
    before = digest()
    monkeypatch.setattr(platform, "python_version", lambda: "3.11.999")
    assert digest() != before


def test_the_versions_are_those_installed():
    assert provenance.versions()["numpy"] == version("numpy")
