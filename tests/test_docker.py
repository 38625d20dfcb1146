"""The Docker files, as far as they can be checked without an engine."""

import fnmatch
import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import dockerfile
import pytest
import yaml

from panelist import config

ROOT = Path(__file__).parent.parent
DOCKER = ROOT / "docker"
STAGES = dockerfile.read(DOCKER / "Dockerfile")
BUILD, SITE, FINAL = STAGES
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
STEPS = [step for stage in STAGES for step in stage.steps]
SECRET = re.compile(r"PASSWORD|SECRET|TOKEN").search
KNOWN = {
    *("ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK", "LABEL", "RUN", "USER", "VOLUME", "WORKDIR"),
}


def test_every_instruction_is_known_and_bases_are_pinned():
    assert {step.keyword for step in STEPS} <= KNOWN
    for stage in (BUILD, FINAL):
        assert re.fullmatch(r"[\w./-]+:[\w.-]*\d[\w.-]*", stage.image), stage.image
        wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
        assert stage.image.split(":")[1].startswith(wanted.removeprefix(">="))


def test_the_base_can_be_given_by_digest():
    """No tag stands in a FROM: one argument, which compose passes on, changes what both stages are built on."""
    text = (DOCKER / "Dockerfile").read_text()
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["$PYTHON_IMAGE", BUILD.name, "$PYTHON_IMAGE"]
    for file in ("compose.yaml", "compose.cluster.yaml"):
        composed = yaml.safe_load((DOCKER / file).read_text())["services"]["panelist"]
        assert composed["build"]["args"]["PYTHON_IMAGE"] is None


def test_commands_are_whole_and_take_no_shortcuts():
    for step in (step for step in STEPS if step.keyword == "RUN"):
        assert subprocess.run(["sh", "-nc", step.text]).returncode == 0, step.text
        assert not re.search(r"\bsudo\b|curl .*\||wget .*\||chmod 777|\bcd /", step.text), step.text
        assert "apt-get" not in step.text or "--no-install-recommends" in step.text
        if "pip install" in step.text:
            assert "-c constraints.txt" in step.text
    assert dockerfile.environment(BUILD)["PIP_NO_CACHE_DIR"] == "1"


def test_no_password_is_known_beforehand():
    cluster = yaml.safe_load((DOCKER / "compose.cluster.yaml").read_text())["services"]
    secrets = [value for one in cluster.values() for name, value in one.get("environment", {}).items() if SECRET(name)]
    assert len(secrets) == 3
    assert all(":?" in value for value in secrets)


def ignored(path):
    """Whether the ignore file keeps a path of the repository from the builder; the last rule that fits decides."""
    kept_back = False
    for rule in (DOCKER / "Dockerfile.dockerignore").read_text().splitlines():
        if not rule or rule.startswith("#"):
            continue
        pattern = rule.lstrip("!").removeprefix("**/")
        if fnmatch.fnmatch(path, pattern) or any(fnmatch.fnmatch(part, pattern) for part in path.split("/")):
            kept_back = not rule.startswith("!")
    return kept_back


def test_everything_that_is_copied_is_there_and_everything_that_is_built_is_copied():
    copied = [source for stage in (BUILD, SITE) for step in stage.all("COPY") for source in step.words[:-1]]
    for source in copied:
        assert (ROOT / source).exists(), source
        assert not ignored(source), source
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {name for name in project["tool"]["setuptools"]["packages"]["find"]["include"] if "." not in name}
    needed = packages | {project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml"}
    assert needed <= set(copied)
    assert ignored("tests")
    assert ignored(".git")
    assert ignored("panelist/__pycache__")
    names = {stage.name for stage in STAGES}
    assert {step.flags["from"] for step in FINAL.all("COPY")} <= names


def test_the_image_is_lean_runs_as_nobody_special_and_can_say_how_it_is():
    assert not any("pip" in step.text for step in FINAL.all("RUN"))
    (user,) = FINAL.all("USER")
    assert user.text.split(":")[0].isdigit()
    assert user.text.split(":")[0] != "0"
    assert FINAL.steps.index(user) < FINAL.steps.index(FINAL.all("ENTRYPOINT")[0])
    (health,) = FINAL.all("HEALTHCHECK")
    question = json.loads(health.text[health.text.index("CMD") + 3 :])
    assert question[0] == "python"
    compile(question[2], "healthcheck", "exec")
    assert "/api/v1/health" in question[2]
    assert all(
        step.words and step.text.startswith("[") for step in FINAL.steps if step.keyword in ("CMD", "ENTRYPOINT")
    )
    port = FINAL.all("EXPOSE")[0].text
    assert port in FINAL.all("CMD")[0].words
    assert f":{port}/" in question[2]


def test_the_command_is_one_that_panelist_has(tmp_path):
    command = [*FINAL.all("ENTRYPOINT")[0].words, *FINAL.all("CMD")[0].words]
    assert command[0] == "panelist"
    run = {"capture_output": True, "text": True, "cwd": tmp_path, "env": {"PATH": ""}}
    helped = subprocess.run([sys.executable, "-m", *command, "--help"], **run)
    assert helped.returncode == 0
    started = subprocess.run([sys.executable, "-m", *command], **run)  # without a token, so it refuses
    assert (started.returncode, "PANELIST_TOKEN" in started.stderr) == (2, True)


@pytest.mark.parametrize("stage", STAGES, ids=["build", "site", "final"])
def test_variables_are_those_that_panelist_reads(stage):
    source = Path(config.__file__).read_text()
    for name, value in dockerfile.environment(stage).items():
        assert not re.search(r"secret|password|token", name, re.IGNORECASE) or not value
        if name.startswith("PANELIST_"):
            assert f'"{name}"' in source


def test_compose_runs_the_service_over_a_healthy_mongodb():
    services = COMPOSE["services"]
    panelist, mongo = services["panelist"], services["mongo"]
    assert (DOCKER / panelist["build"]["context"] / panelist["build"]["dockerfile"]).resolve() == DOCKER / "Dockerfile"
    assert panelist["depends_on"]["mongo"]["condition"] == "service_healthy"
    assert mongo["healthcheck"]["test"][0] == "CMD"
    assert re.fullmatch(r"mongo:\d+(\.\d+)+", mongo["image"])
    assert "ports" not in mongo
    assert all(port.startswith("127.0.0.1:") for port in panelist["ports"])
    source = Path(config.__file__).read_text()
    assert all(f'"{name}"' in source for name in panelist["environment"])
    assert panelist["environment"]["PANELIST_MONGO_URI"].startswith("mongodb://mongo:")
    assert ":?" in panelist["environment"]["PANELIST_TOKEN"]
    used = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", ())}
    assert used == set(COMPOSE["volumes"])
    written = {volume.split(":")[1] for volume in panelist["volumes"]} | set(panelist["tmpfs"])
    variables = dockerfile.environment(FINAL)
    for name in ("PANELIST_CACHE", "PANELIST_WORKSPACE", "MPLCONFIGDIR", "NUMBA_CACHE_DIR"):
        assert any(variables[name].startswith(place) for place in written), f"{name} is on a read-only disk"


def test_the_cluster_shares_its_index_and_names_what_exists():
    cluster = yaml.safe_load((DOCKER / "compose.cluster.yaml").read_text())
    services = cluster["services"]
    for name, service in services.items():
        assert "build" in service or re.search(r":[\w.-]*\d[\w.-]*$", service["image"]), f"{name} is not pinned"
        assert name == "panelist" or "ports" not in service
        assert set(service.get("depends_on", ())) <= set(services)
        for needed, how in dict.fromkeys(service.get("depends_on", ())).items():
            assert how is None or "healthcheck" in services[needed]
    mounts = {name: service.get("volumes", []) for name, service in services.items()}
    assert "index:/data" in mounts["panelist"]
    assert "index:/data" in mounts["worker"], "tasks name files by their path"
    assert {one.split(":")[0] for volumes in mounts.values() for one in volumes} == set(cluster["volumes"])
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(services["panelist"]["build"]["args"]["EXTRAS"].split(",")) <= set(extras)
    assert dockerfile.environment(BUILD)["EXTRAS"] in extras


@pytest.mark.parametrize("service", ["scheduler", "worker"])
def test_the_commands_of_the_cluster_are_those_that_dask_has(service):
    entrypoint = yaml.safe_load((DOCKER / "compose.cluster.yaml").read_text())["services"][service]["entrypoint"]
    assert entrypoint[:2] == ["dask", service]
    helped = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "dask", service, "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert all(option in helped for option in entrypoint if option.startswith("--"))


def test_the_parser_joins_lines_and_reads_flags(tmp_path):
    file = tmp_path / "Dockerfile"
    file.write_text('FROM a:1 AS b\n# note\nRUN one \\\n    && two\nCOPY --from=b --chown=1:1 x y\nCMD ["p", "q r"]\n')
    (stage,) = dockerfile.read(file)
    assert (stage.image, stage.name) == ("a:1", "b")
    run, copy, command = stage.steps
    assert run.text == "one && two"
    assert copy.flags == {"from": "b", "chown": "1:1"}
    assert copy.words == ["x", "y"]
    assert command.words == ["p", "q r"]
    assert shlex.join(command.words) == "p 'q r'"
