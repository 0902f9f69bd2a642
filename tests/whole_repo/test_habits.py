"""Files that other programs read are what these expect: workflows, forms, hooks, citation, mutants."""

import re

import pytest

from tools import mutants

from .packages import BY_DISTRIBUTION, ROOT

yaml = pytest.importorskip("yaml")  # it comes with Ray

WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
FORMS = sorted(path for path in ROOT.glob(".github/ISSUE_TEMPLATE/*.yml") if path.name != "config.yml")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_jobs_that_run(path):
    workflow = read(path)
    # YAML 1.1 reads the key `on` as a truth value.
    assert workflow["name"]
    assert workflow[True]
    assert workflow["permissions"] == {"contents": "read"}, "what a job may write it says itself"
    jobs = workflow["jobs"]
    for job in jobs.values():
        assert re.fullmatch(r"\w+-latest|\$\{\{ matrix\.os \}\}", job["runs-on"])
        assert {job.get("needs")} - {None} <= jobs.keys()
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "a/b@v1"))
            for target in re.findall(r"\bmake ([\w-]+)", step.get("run", "")):
                assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), f"make {target}"
            for part in re.findall(r"(?:\./|\s)((?:packages|tests)/[\w/-]+)", step.get("run", "")):
                assert (ROOT / part).exists(), part


def test_tests_run_on_three_systems():
    jobs = read(ROOT / ".github/workflows/tests.yml")["jobs"].values()
    systems: set[str] = set()
    for job in jobs:
        systems |= set(job.get("strategy", {}).get("matrix", {}).get("os", [job["runs-on"]]))
    assert {system.partition("-")[0] for system in systems} == {"ubuntu", "macos", "windows"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_asks_for_something(path):
    form = read(path)
    assert form["name"]
    assert form["description"]
    names = [field["id"] for field in form["body"]]
    assert len(names) == len(set(names)) > 0
    assert all(
        field["type"] in {"textarea", "input"} and field["attributes"]["label"] for field in form["body"]
    )


def test_the_hooks_run_what_make_check_runs():
    [repo] = read(ROOT / ".pre-commit-config.yaml")["repos"]
    programs = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in repo["hooks"]}
    checks = MAKEFILE.partition("\ncheck:")[2].partition("\n\n")[0]
    assert programs == set(re.findall(r"\$\(VENV\)/bin/(\w+)", checks))


def test_the_citation_has_what_the_format_asks_for():
    citation = read(ROOT / "CITATION.cff")
    assert citation.keys() >= {"cff-version", "message", "title", "authors", "references"}
    assert citation["version"] == BY_DISTRIBUTION["supra-core"].version
    [paper] = citation["references"]
    assert paper["type"] == "article"
    assert len(paper["authors"]) == 5
    for project in (package.project for package in BY_DISTRIBUTION.values()):
        assert citation["license"] == project["license"]
        assert project["urls"]["Paper"] == paper["url"]


@pytest.mark.parametrize("mutant", mutants.read(), ids=lambda mutant: mutant.name)
def test_a_mutant_still_finds_its_place_and_its_tests(mutant):
    [path] = ROOT.glob(f"packages/*/src/{mutant.file}")
    assert path.read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.old != mutant.new
    assert all((ROOT / "tests" / name).exists() for name in mutant.tests)
