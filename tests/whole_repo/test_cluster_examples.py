"""Files and commands of docs/cluster.md: Ray accepts the files, the commands have the options they use."""

import re
import shlex
import subprocess

import pytest
import yaml
from ray.autoscaler._private.kuberay.autoscaling_config import _derive_autoscaling_config_from_ray_cr
from ray.autoscaler._private.util import prepare_config, validate_config

from supra_experiments.cli.main import main

from .packages import ROOT

PAGE = ROOT / "docs" / "cluster.md"
EXAMPLES = ROOT / "examples" / "cluster"
BLOCKS = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"\bsupra (sweep|encode|data) .*")


def commands() -> list[str]:
    """All lines of the page and of the examples that call this project's command, continued lines joined."""
    texts = [*BLOCKS.findall(PAGE.read_text(encoding="utf-8"))]
    texts += [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.iterdir())]
    lines = "\n".join(texts).replace("\\\n", " ").splitlines()
    found = [match[0].strip() for line in lines if (match := COMMAND.search(line))]
    return sorted({re.sub(r"\s+(#.*|'|&)$", "", command).rstrip("'") for command in found})


def test_the_page_and_the_examples_use_the_command():
    assert len(commands()) >= 8
    assert {command.split()[1] for command in commands()} == {"sweep", "encode", "data"}


@pytest.mark.parametrize("command", commands())
def test_options_exist(command, capsys):
    words = shlex.split(command)[1:]
    name = words[:2] if words[0] == "data" else words[:1]
    assert main([*name, "--help"]) == 0
    known = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known


def test_links_lead_somewhere():
    text = PAGE.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    headings = {re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-") for title in titles}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in headings
        elif not target.startswith("https://"):
            assert (PAGE.parent / target).exists(), target


def test_ray_accepts_the_launchers_file():
    config = yaml.safe_load((EXAMPLES / "ray-cluster.yaml").read_text(encoding="utf-8"))
    prepared = prepare_config(config)
    validate_config(prepared)
    (node,) = prepared["available_node_types"].values()
    assert node["min_workers"] == len(config["provider"]["worker_ips"])
    for start in (config["head_start_ray_commands"], config["worker_start_ray_commands"]):
        assert "RAY_AUTH_MODE=token" in start[-1]


def test_ray_reads_the_kubernetes_cluster():
    claim, cluster = yaml.safe_load_all((EXAMPLES / "raycluster-kuberay.yaml").read_text(encoding="utf-8"))
    assert (cluster["apiVersion"], cluster["kind"]) == ("ray.io/v1", "RayCluster")
    head, (workers,) = cluster["spec"]["headGroupSpec"], cluster["spec"]["workerGroupSpecs"]
    for group in (head, workers):
        assert isinstance(group["rayStartParams"], dict)
        pod = group["template"]["spec"]
        assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
        assert pod["containers"][0]["volumeMounts"][0]["mountPath"] == "/shared"
    assert {"groupName", "replicas", "minReplicas", "maxReplicas"} <= workers.keys()
    cluster["metadata"]["namespace"] = "default"
    derived = _derive_autoscaling_config_from_ray_cr(cluster)
    validate_config(derived)
    types = {name: node["resources"] for name, node in derived["available_node_types"].items()}
    assert types["headgroup"]["CPU"] == 0
    assert (types["gpu"]["CPU"], types["gpu"]["GPU"]) == (8, 1)


def test_the_slurm_script_is_a_script():
    script = EXAMPLES / "sweep.sbatch"
    subprocess.run(["bash", "-n", str(script)], check=True)
    options = re.findall(r"^#SBATCH --([a-z-]+)=?(\S*)", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(options)["ntasks-per-node"] == "1"
