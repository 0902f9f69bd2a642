"""Each package's wheel, installed alone with only what it declares, imports and passes its own tests."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from .packages import PACKAGES, ROOT, Package, local_closure, normal

pytestmark = pytest.mark.isolated

# What must not come along; each has a reason in the design.
UNWANTED = {
    "supra-core": {"torch", "torch-geometric", "ray", "pandas"},
    "wl-tests": {"torch", "torch-geometric", "ray", "pandas"},
    "tgnn-models": {"ray", "supra-core", "wl-tests", "supra-experiments"},
}


def run(*command: object, cwd: Path, **extra: str) -> str:
    # Nothing of the repository or its environment may leak in; one BLAS thread, since tests run side by side.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    leaks = ("PYTHON", "PYTEST", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(leaks)} | threads
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=kept | extra, capture_output=True, text=True
    )
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
    return done.stdout


def build(package: Package, folder: Path) -> Path:
    """The package's wheel. ``build`` and the backend come from the development environment."""
    output = folder / package.folder.name
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", output, package.folder, cwd=folder)
    (wheel,) = output.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    built: dict[Package, Path] = {}

    def wheel_of(package: Package) -> Path:
        if package not in built:
            built[package] = build(package, folder)
        return built[package]

    return wheel_of


@pytest.fixture
def python(tmp_path):
    """The interpreter of a fresh environment, which is removed afterwards: some are a gigabyte large."""
    venv.create(tmp_path / "venv", with_pip=False)
    yield tmp_path / "venv" / "bin" / "python"
    # Tens of thousands of files take a while to go; nothing has to wait for them.
    remove = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True)"
    subprocess.Popen([sys.executable, "-c", remove, str(tmp_path / "venv")], start_new_session=True)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_the_wheel_stands_alone(package, wheels, python, tmp_path):
    # Wheels of this repository are handed over as files, so that no index can answer in their place.
    own, *needed = [wheels(member) for member in local_closure(package)]
    test = "[test]" if "test" in package.extras else ""
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    install = ["install", "--quiet", "--no-compile", "--constraint", ROOT / "constraints.txt"]
    run(*pip, *install, f"{own}{test}", *needed, cwd=tmp_path)

    listed = run(*pip, "list", "--format=freeze", cwd=tmp_path)
    installed = {normal(line.partition("==")[0]) for line in listed.splitlines()}
    assert not installed & UNWANTED.get(package.project["name"], set())
    assert normal(package.project["name"]) in installed

    outside = tmp_path / "outside"
    outside.mkdir()
    where = run(python, "-c", f"import {package.import_name} as p; print(p.__file__)", cwd=outside)
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")

    (outside / "tests").mkdir()
    for name in ("__init__.py", "conftest.py"):
        shutil.copy(ROOT / "tests" / name, outside / "tests" / name)
    own_tests = ROOT / "tests" / package.import_name
    shutil.copytree(
        own_tests, outside / "tests" / own_tests.name, ignore=shutil.ignore_patterns("__pycache__")
    )
    # Clusters and browsers take minutes, and have nothing to tell about a wheel.
    pytest_options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not cluster and not browser"]
    run(python, "-B", "-m", "pytest", *pytest_options, "tests", cwd=outside, HYPOTHESIS_PROFILE="smoke")
