"""Install commands of the READMEs run as printed, in a fresh environment, with nothing to download.

What comes from elsewhere is linked from the environment that runs the tests, so that pip finds it installed.
What is ours pip must find through the command alone: an index is forbidden.
"""

import re
import shlex
import shutil
import venv
from pathlib import Path

import pytest

from .environments import Environment, link, needed, run
from .packages import BY_DISTRIBUTION, PACKAGES, ROOT, Package, local_closure

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("packages/*/README.md"), *ROOT.glob("docs/**/*.md")]
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def printed_commands(page: Path) -> list[str]:
    """Lines of a page's blocks that install packages of this repository from their folders."""
    blocks = FENCED.findall(page.read_text(encoding="utf-8"))
    lines = [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("pip install")]


COMMANDS = sorted({command for page in PAGES for command in printed_commands(page) if "packages/" in command})


def asked_for(command: str) -> dict[Package, list[str]]:
    """The packages that a command names by their folders, each with its extras."""
    asked = {}
    for word in shlex.split(command):
        if found := re.fullmatch(r"\./packages/([\w-]+)(?:\[([\w,]+)\])?", word):
            [package] = [each for each in PACKAGES if each.folder.name == found[1]]
            asked[package] = found[2].split(",") if found[2] else []
    return asked


def requirements(asked: dict[Package, list[str]]) -> list[str]:
    """What these packages declare, siblings left out."""
    texts = [text for package in asked for text in package.project["dependencies"]]
    for package, extras in asked.items():
        texts += [text for extra in extras for text in package.project["optional-dependencies"][extra]]
    return texts


@pytest.fixture
def environment(tmp_path):
    """A fresh environment with pip, and the backend that builds wheels."""
    environment = Environment(tmp_path / "venv")
    venv.EnvBuilder(with_pip=True).create(tmp_path / "venv")
    link(needed(["hatchling"]), environment.site)
    yield environment
    shutil.rmtree(tmp_path / "venv", ignore_errors=True)


def shell(command: str, environment: Environment, cwd: Path) -> str:
    """Run a line as somebody would who has activated the environment and has no network."""
    path = f"{environment.python.parent}:/usr/bin:/bin"
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": "/dev/null"}
    # pip reads this one the other way round: 0 means that the environment's own backend builds.
    return run("sh", "-ec", command, cwd=cwd, PATH=path, PIP_NO_BUILD_ISOLATION="0", **offline)


def imported(environment: Environment, package: Package, cwd: Path) -> None:
    code = f"import {package.import_name} as package; print(package.__version__, package.__file__)"
    version, where = run(environment.python, "-c", code, cwd=cwd).split()
    assert version == package.version
    assert Path(where).is_relative_to(environment.site)


def test_every_package_says_how_to_install_it():
    for package in PACKAGES:
        commands = printed_commands(package.folder / "README.md")
        assert any(package in asked_for(command) for command in commands), package


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_asks_an_index_for_our_packages(page):
    """None of them is on one; what is said in a sentence ("once …") is no command."""
    for command in printed_commands(page):
        words = [re.split(r"[\[<>=]", word)[0] for word in shlex.split(command)]
        assert not BY_DISTRIBUTION.keys() & set(words) or "--find-links" in words, command


@pytest.mark.isolated
@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_a_printed_command_installs_what_it_names(command, environment, tmp_path):
    asked = asked_for(command)
    assert asked
    link(needed(requirements(asked)), environment.site)
    shell(command, environment, ROOT)
    for package in asked:
        imported(environment, package, tmp_path)


@pytest.mark.isolated
@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_a_folder_of_wheels_is_enough_for_a_package_by_its_name(package, wheels, environment, tmp_path):
    """What `make wheels` leaves in dist/."""
    (tmp_path / "dist").mkdir()
    for each in PACKAGES:
        shutil.copy(wheels(each), tmp_path / "dist")
    link(needed(requirements({each: [] for each in local_closure(package)})), environment.site)
    shell(f"pip install --no-index --find-links dist {package.project['name']}", environment, tmp_path)
    imported(environment, package, tmp_path)
