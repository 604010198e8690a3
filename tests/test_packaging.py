"""What is said of the package in several files is said alike."""

import re
import tomllib

import pytest
from cases import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from streamlit import config

import cellval
from cellval import cluster
from cellval.jobs import queue
from cellval.knn import backends
from cellval.project import home

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
LOCKED_EXTRAS = ("excel", "recipes", "login", "dask")


def named(*extras):
    """What the package asks for, with extras, but for itself."""
    lines = [*PROJECT["dependencies"], *(line for e in extras for line in EXTRAS[e])]
    asked = map(Requirement, lines)
    return {canonicalize_name(r.name): r for r in asked if r.name != "cellval"}


# --- the lock -------------------------------------------------------------------------


def pins():
    """Requirements of the lock, each with the text of its entry."""
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE))
    return [(Requirement(entry.split(" \\")[0]), entry) for entry in entries]


def test_the_lock_satisfies_the_project():
    locked = {}
    for pin, _ in pins():
        (one,) = pin.specifier
        assert one.operator == "=="
        locked.setdefault(canonicalize_name(pin.name), []).append(one.version)
    for name, asked in named(*LOCKED_EXTRAS).items():
        assert name in locked, f"run .ci/lock: {name} is not locked"
        for version in locked[name]:
            assert asked.specifier.contains(version), f"run .ci/lock: {name} {version}"


def test_the_lock_has_the_extras_that_its_script_names():
    script = (ROOT / ".ci/lock").read_text("utf-8")
    assert tuple(re.findall(r"--extra (\w+)", script)) == LOCKED_EXTRAS
    assert ".ci/lock" in LOCK.splitlines()[1]  # how it is renewed


def test_every_locked_file_has_a_hash_and_none_an_address():
    assert len(pins()) > 50
    for pin, entry in pins():
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), pin.name
    assert "://" not in LOCK and "index-url" not in LOCK and "find-links" not in LOCK


# --- other files ----------------------------------------------------------------------


def test_requirements_txt_has_the_same_bounds():
    lines = (ROOT / "requirements.txt").read_text("utf-8").split()
    listed = {canonicalize_name(r.name): r for r in map(Requirement, lines)}
    for name, asked in named("excel", "recipes").items():
        assert listed.pop(name).specifier == asked.specifier
    assert set(listed) == {"pytest", "hypothesis"}


def test_everything_that_is_used_has_a_lower_bound():
    for name, asked in named(*LOCKED_EXTRAS, "cuda").items():
        assert [one.operator for one in asked.specifier] == [">="], name


def test_the_extras_are_there():
    assert {"excel", "dask", "cuda", "test", "dev", "docs"} <= set(EXTRAS)
    assert (ROOT / "cellval/py.typed").exists()


def test_the_version_is_that_of_the_changelog_and_of_the_citation():
    yaml = pytest.importorskip("yaml", reason="in requirements.txt")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == cellval.__version__
    heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert heads[0] == f"{cellval.__version__} ({cited['date-released']})"
    for head in heads:
        assert re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)", head)


def test_the_citation_names_the_paper():
    yaml = pytest.importorskip("yaml", reason="in requirements.txt")
    paper = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))[
        "preferred-citation"
    ]
    assert paper["type"] == "conference-paper" and paper["year"] == 2023
    assert paper["title"].startswith("2D-Shapley")
    assert paper["url"] in (ROOT / "README.md").read_text("utf-8")


# --- the image ------------------------------------------------------------------------


@pytest.fixture
def steps():
    """Of the stage that is run, each as a line."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.M)).split("\n")
    last = max(i for i, line in enumerate(lines) if line.startswith("FROM "))
    return [line for line in lines[last:] if line]


def test_the_image_keeps_its_promises(steps):
    def at(start):
        (found,) = [i for i, line in enumerate(steps) if line.startswith(start)]
        return found

    assert steps[0].endswith("-slim")
    assert "--require-hashes" in " ".join(steps)
    assert steps[at("USER")] not in ("USER root", "USER 0")
    (warm,) = [i for i, line in enumerate(steps) if "warm_up" in line]
    assert at("USER") < warm  # compiled code is kept per user
    folder = steps[at("VOLUME")].split()[1]
    assert f"CELLVAL_HOME={folder}" in steps[at("ENV")]
    port = steps[at("EXPOSE")].split()[1]
    assert f"127.0.0.1:{port}/_stcore/health" in steps[at("HEALTHCHECK")]
    assert f'"--port", "{port}"' in steps[at("CMD")]


def test_the_image_gets_all_that_the_wheel_is_made_of():
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    wheel = build["build"]["targets"]["wheel"]
    sources = {*wheel["packages"], *wheel["force-include"], PROJECT["readme"]}
    assert {f"!{name}" for name in sources} <= set(ignored)
    assert "!requirements.lock" in ignored and "!pyproject.toml" in ignored


# --- how to run it --------------------------------------------------------------------


def test_every_variable_of_the_page_on_deployment_is_one():
    page = (ROOT / "docs/deploy.md").read_text("utf-8")
    own = set(re.findall(r"CELLVAL_[A-Z_]+", page))
    known = {home.VARIABLE, queue.VARIABLE, cluster.VARIABLE, backends.VARIABLE}
    assert own == known | {"CELLVAL_SHARED"}
    streamlits = set(re.findall(r"STREAMLIT_[A-Z_]+", page))
    options = config.get_config_options().values()
    assert streamlits <= {option.env_var for option in options}
