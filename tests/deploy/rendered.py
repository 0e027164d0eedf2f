"""A rendered kustomization, and what refers to what in it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.deploy.kustomize import Object, containers, pod_template

COMPONENT = "app.kubernetes.io/component"
POSTGRES_PORTS = {"postgres": 5432, "status": 8000}


@dataclass(frozen=True, slots=True)
class Rendered:
    """One rendered kustomization."""

    folder: Path
    objects: list[Object]

    def by_name(self, kind: str) -> dict[str, Object]:
        return {obj["metadata"]["name"]: obj for obj in self.objects if obj["kind"] == kind}

    @property
    def workloads(self) -> dict[str, Object]:
        """Deployments and StatefulSets by name."""
        return {obj["metadata"]["name"]: obj for obj in self.objects if pod_template(obj)}

    @property
    def services(self) -> dict[str, Object]:
        """Deployments of the services by name, the console's left out."""
        found = self.by_name("Deployment")
        return {name: one for name, one in found.items() if pod_labels(one)[COMPONENT] == "service"}

    def pods(self, labels: dict[str, str]) -> list[tuple[dict[str, str], dict[str, int]]]:
        """Labels and ports by name of every kind of pod that has `labels`, PostgreSQL's included."""
        ours = [(pod_labels(obj), _ports(obj)) for obj in self.workloads.values()]
        # What the operator makes of a Cluster.
        theirs = [({"cnpg.io/cluster": name}, POSTGRES_PORTS) for name in self.by_name("Cluster")]
        return [pod for pod in ours + theirs if labels.items() <= pod[0].items()]


def pod_labels(workload: Object) -> dict[str, str]:
    """Labels of a workload's pods."""
    labels: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return labels


def pod_spec(workload: Object) -> Object:
    """Specification of a workload's pods."""
    spec: Object = workload["spec"]["template"]["spec"]
    return spec


def _ports(obj: Object) -> dict[str, int]:
    return {port["name"]: port["containerPort"] for box in containers(obj) for port in box["ports"]}


def references(node: Any) -> dict[str, set[str]]:
    """Names of the Secrets and ConfigMaps that an object refers to, anywhere in it, by kind."""
    found: dict[str, set[str]] = defaultdict(set)
    match node:
        case dict():
            for key, value in node.items():
                if key in ("secretKeyRef", "secretRef", "passwordSecret"):
                    found["Secret"].add(value["name"])
                elif key == "secret" and "secretName" in value:
                    found["Secret"].add(value["secretName"])
                elif key in ("configMapKeyRef", "configMapRef", "configMap"):
                    found["ConfigMap"].add(value["name"])
                else:
                    for kind, names in references(value).items():
                        found[kind] |= names
        case list():
            for item in node:
                for kind, names in references(item).items():
                    found[kind] |= names
    return found
