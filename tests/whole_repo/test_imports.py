"""Imports go one way, and nothing is imported that is not declared."""

import subprocess
import sys
from importlib.metadata import packages_distributions

import pytest

from .packages import BY_DISTRIBUTION, PACKAGES, imports, normal

# Which packages of this repository each may import: the arrows of the design, all of them.
MAY_IMPORT = {
    "supra_core": set(),
    "wl_tests": {"supra_core"},
    "tgnn_models": set(),
    "supra_experiments": {"supra_core", "wl_tests", "tgnn_models"},
}
# Modules that belong to an extra and may import it on import; everything else does so when it is used.
MODULES_OF_EXTRAS = {
    **{
        f"supra_core.pyg{module}": {"torch", "torch_geometric"}
        for module in ("", ".attributes", ".events", ".laplacian_pe", ".snapshots", ".supra_laplacian_pe")
    },
    "wl_tests.strategies": {"hypothesis"},
}
RAY = ("supra_experiments.cluster", "supra_experiments.sweep.ray")

MODULES = [(package, path) for package in PACKAGES for path in package.modules]
IDS = [package.module_name(path) for package, path in MODULES]
# Optional tools need not be installed here; where import and distribution differ in name, it is said.
DISTRIBUTIONS = {"sknetwork": ["scikit-network"], "sklearn": ["scikit-learn"]} | packages_distributions()
LOCAL = {package.import_name for package in PACKAGES}


def test_every_package_has_its_arrows():
    assert MAY_IMPORT.keys() >= LOCAL


@pytest.mark.parametrize(("package", "path"), MODULES, ids=IDS)
def test_nobody_imports_upwards(package, path):
    allowed = MAY_IMPORT[package.import_name] | {package.import_name}
    assert imports(path, everywhere=True) & MAY_IMPORT.keys() <= allowed


@pytest.mark.parametrize(("package", "path"), MODULES, ids=IDS)
def test_only_what_is_declared_is_needed_to_import(package, path):
    name = package.module_name(path)
    declared = package.requirements()
    for module in imports(path, everywhere=False) - set(sys.stdlib_module_names) - {package.import_name}:
        distributions = {normal(distribution) for distribution in DISTRIBUTIONS.get(module, [module])}
        extra = MODULES_OF_EXTRAS.get(name, set())
        assert distributions & declared or module in extra, f"{name} imports {module}, which is not declared"


@pytest.mark.parametrize(("package", "path"), MODULES, ids=IDS)
def test_what_is_imported_later_is_declared_in_an_extra(package, path):
    declared = package.requirements(*package.extras)
    for module in imports(path, everywhere=True) - set(sys.stdlib_module_names) - {package.import_name}:
        distributions = {normal(distribution) for distribution in DISTRIBUTIONS.get(module, [module])}
        assert distributions & declared, f"{package.module_name(path)} imports {module}: in no extra"


@pytest.mark.parametrize(("package", "path"), MODULES, ids=IDS)
def test_ray_stays_in_two_folders(package, path):
    name = package.module_name(path)
    if not any(name == allowed or name.startswith(f"{allowed}.") for allowed in RAY):
        assert "ray" not in imports(path, everywhere=True)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_importing_a_package_loads_nothing_of_its_extras(package):
    """The modules that are in memory afterwards, not the text: also what goes through other modules."""
    optional = package.requirements(*package.extras) - package.requirements() - BY_DISTRIBUTION.keys()
    modules = sorted(m for m, names in DISTRIBUTIONS.items() if optional & set(map(normal, names)))
    declared = sorted(
        m for m, names in DISTRIBUTIONS.items() if package.requirements() & set(map(normal, names))
    )
    if loaded := loaded_by([package.import_name], modules):
        # What a declared dependency loads itself is not ours to decide.
        assert loaded_by(declared, sorted(loaded)) == loaded


def test_the_command_starts_without_what_takes_long_to_load():
    slow = ["matplotlib", "pyarrow.dataset", "ray", "scipy.stats", "sklearn", "torch", "torch_geometric"]
    assert loaded_by(["supra_experiments.cli.main"], slow) == set()


def loaded_by(names: list[str], modules: list[str]) -> set[str]:
    """Which of some modules are in memory after others are imported, one after the other, until all are."""
    code = (
        "import importlib, sys\n"
        f"modules = set({modules})\n"
        f"for name in {names}:\n"
        "    if not modules <= sys.modules.keys(): importlib.import_module(name)\n"
        "print(*modules & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())
