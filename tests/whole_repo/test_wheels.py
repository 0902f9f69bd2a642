"""Each package's wheel, installed alone with only what it declares, imports and passes its own tests."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from .environments import Environment, link, needed, run
from .packages import PACKAGES, ROOT, Package, local_closure, normal
from .test_imports import MODULES_OF_EXTRAS

# What must not come along; each has a reason in the design.
UNWANTED = {
    "supra-core": {"torch", "torch-geometric", "ray"},
    "wl-tests": {"torch", "torch-geometric", "ray", "pandas"},
    "tgnn-models": {"ray", "supra-core", "wl-tests", "supra-experiments"},
}
# One file of each package's tests, which is enough to see that they run outside of the repository.
SAMPLES = {
    "supra_core": "test_supra_graph.py",
    "wl_tests": "test_proposition_2.py",
    "tgnn_models": "test_snapshot.py",
    "supra_experiments": "protocol/test_splits.py",
}
# Those that need PyTorch load it three times, which takes long.
BY_WEIGHT = [
    pytest.param(package, marks=[pytest.mark.long] if "torch" in package.requirements() else [])
    for package in PACKAGES
]


def copy_tests(package: Package, folder: Path, only: str | None = None) -> None:
    """The package's tests beside those helpers that all tests have; all of them, or one file's."""
    (folder / "tests").mkdir(parents=True)
    for name in ("__init__.py", "conftest.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    own = ROOT / "tests" / package.import_name

    def left_out(_: str, names: list[str]) -> set[str]:
        other = {name for name in names if only and name.startswith("test_") and name != Path(only).name}
        return other | {"__pycache__"}

    shutil.copytree(own, folder / "tests" / own.name, ignore=left_out)


@pytest.mark.isolated
@pytest.mark.parametrize("package", BY_WEIGHT, ids=str)
def test_the_wheel_needs_only_what_it_declares(package, wheels, tmp_path):
    """With what is declared and nothing else, all modules import, and a sample of tests passes."""
    name = package.project["name"]
    environment = Environment(tmp_path / "venv")
    environment.install(*[wheels(member) for member in local_closure(package)])
    own = {normal(member.project["name"]) for member in local_closure(package)}
    asked = [text for member in own for text in environment.requirements(member)]
    link(needed(asked), environment.site)
    assert environment.installed() == needed(asked) | own
    assert not environment.installed() & UNWANTED.get(name, set())

    outside = tmp_path / "outside"
    copy_tests(package, outside, only=SAMPLES[package.import_name])
    names = [package.module_name(path) for path in package.modules]
    names = [name for name in names if name not in MODULES_OF_EXTRAS and not name.endswith("__main__")]
    code = (
        "import importlib\n"
        f"for name in {names}: importlib.import_module(name)\n"
        f"import {package.import_name} as p; print(p.__file__)"
    )
    where = run(environment.python, "-B", "-c", code, cwd=outside)
    assert Path(where.strip()).is_relative_to(environment.site)

    extra = needed([*asked, *environment.requirements(name, "test")])
    link(extra, environment.site)
    assert environment.installed() == extra | own
    run_tests(environment.python, outside)


def run_tests(python: Path, folder: Path) -> None:
    """Those that were copied. Clusters and browsers take minutes, and tell nothing about a wheel."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not cluster and not browser and not long"]
    done = run(python, "-B", "-m", "pytest", *options, "tests", cwd=folder, HYPOTHESIS_PROFILE="smoke")
    assert " passed" in done


# ── the whole way ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def python(tmp_path):
    """The interpreter of a fresh environment, which is removed afterwards: some are a gigabyte large."""
    venv.create(tmp_path / "venv", with_pip=False)
    yield tmp_path / "venv" / "bin" / "python"
    # Tens of thousands of files take a while to go; nothing has to wait for them.
    remove = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True)"
    subprocess.Popen([sys.executable, "-c", remove, str(tmp_path / "venv")], start_new_session=True)


@pytest.mark.isolated
@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_the_wheel_passes_all_its_tests_as_an_index_installs_it(package, wheels, python, tmp_path):
    # Wheels of this repository are handed over as files, so that no index can answer in their place.
    own, *others = [wheels(member) for member in local_closure(package)]
    test = "[test]" if "test" in package.extras else ""
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    install = ["install", "--quiet", "--no-compile", "--constraint", ROOT / "constraints.txt"]
    run(*pip, *install, f"{own}{test}", *others, cwd=tmp_path)

    listed = run(*pip, "list", "--format=freeze", cwd=tmp_path)
    installed = {normal(line.partition("==")[0]) for line in listed.splitlines()}
    assert not installed & UNWANTED.get(package.project["name"], set())
    assert normal(package.project["name"]) in installed

    outside = tmp_path / "outside"
    copy_tests(package, outside)
    where = run(python, "-c", f"import {package.import_name} as p; print(p.__file__)", cwd=outside)
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")
    run_tests(python, outside)
