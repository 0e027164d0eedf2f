from __future__ import annotations

from pathlib import Path

import pytest

from tests.deploy.kustomize import render
from tests.deploy.rendered import Rendered

K8S = Path(__file__).resolve().parents[2] / "deploy" / "k8s"


@pytest.fixture(scope="session", params=["base", "overlays/local", "overlays/production"])
def rendered(request: pytest.FixtureRequest) -> Rendered:
    folder = K8S / request.param
    return Rendered(folder, render(folder))
