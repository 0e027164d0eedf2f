"""Whatever a manifest names must exist, and ports must be the same on both ends."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from clients.console import settings as console_settings
from services.runtime import config as configuration
from services.runtime.config import Config
from tests.architecture.imports import ROOT, SERVICES
from tests.deploy.kustomize import Object, containers
from tests.deploy.rendered import Rendered, pod_labels, pod_spec, references

SECRETS = {"nats-url": "tls://user:pass@nats:4222", "postgres-dsn": "postgresql://fupan-postgres-rw/fupan"}


def test_the_five_services_run_their_own_module(rendered: Rendered) -> None:
    deployments = rendered.services
    assert deployments.keys() == set(SERVICES)
    assert rendered.by_name("Deployment").keys() == {*SERVICES, "console"}
    for name, deployment in deployments.items():
        assert [box["args"] for box in containers(deployment)] == [[f"services.{name}"]]


def test_config_maps_exist_and_are_used(rendered: Rendered) -> None:
    assert references(rendered.objects)["ConfigMap"] == rendered.by_name("ConfigMap").keys()


def test_secrets_are_those_the_reader_is_told_to_make(rendered: Rendered) -> None:
    table = (ROOT / "deploy/k8s/README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z<>-]+)` \|", table, re.MULTILINE)
    told = {row.replace("<service>", service) for row in rows for service in SERVICES}
    assert references(rendered.objects)["Secret"] == told
    assert not rendered.by_name("Secret")


def test_a_service_uses_only_its_own_secrets(rendered: Rendered) -> None:
    for name, deployment in rendered.services.items():
        assert references(deployment)["Secret"] == {
            f"fupan-{name}",
            f"fupan-{name}-keys",
            f"fupan-{name}-tls",
        }


def test_volumes_are_mounted_and_mounts_have_volumes(rendered: Rendered) -> None:
    for name, workload in rendered.workloads.items():
        spec = pod_spec(workload)
        claims = [claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", ())]
        volumes = {volume["name"] for volume in spec["volumes"]} | set(claims)
        assert {mount["name"] for box in spec["containers"] for mount in box["volumeMounts"]} == volumes, name


def test_service_accounts_exist(rendered: Rendered) -> None:
    for name, workload in rendered.workloads.items():
        assert pod_spec(workload)["serviceAccountName"] == name
        assert name in rendered.by_name("ServiceAccount")


def test_services_lead_to_open_ports(rendered: Rendered) -> None:
    for name, service in rendered.by_name("Service").items():
        pods = rendered.pods(service["spec"]["selector"])
        assert len(pods) == 1, name
        ports = pods[0][1]
        assert [port["port"] for port in service["spec"]["ports"]] == [
            ports[port["targetPort"]] for port in service["spec"]["ports"]
        ], name


def test_peers_are_the_services(rendered: Rendered) -> None:
    services = rendered.by_name("Service")
    pairs = [peer.split("=") for peer in _config(rendered)["FUPAN_PEERS"].split(",")]
    assert {name for name, _ in pairs} == set(SERVICES)
    for name, address in pairs:
        host, port = address.split(":")
        assert host == name
        assert int(port) in [
            item["port"] for item in services[host]["spec"]["ports"] if item["name"] == "peer"
        ]


def test_listening_and_probed_ports_are_declared(rendered: Rendered) -> None:
    listen = {
        name: int(value.rpartition(":")[2]) for name, value in _config(rendered).items() if "LISTEN" in name
    }
    assert len(set(listen.values())) == 4
    for deployment in rendered.services.values():
        for box in containers(deployment):
            ports = {port["name"]: port["containerPort"] for port in box["ports"]}
            assert ports == {
                "grpc": listen["FUPAN_SERVICE_LISTEN"],
                "peer": listen["FUPAN_PEER_LISTEN"],
                "health": listen["FUPAN_HEALTH_LISTEN"],
                "metrics": listen["FUPAN_METRICS_LISTEN"],
            }
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                assert box[probe]["grpc"]["port"] == ports["health"]


def test_paths_in_the_environment_are_mounted(rendered: Rendered) -> None:
    config = _config(rendered)
    for deployment in rendered.services.values():
        for box in containers(deployment):
            mounts = {mount["mountPath"] for mount in box["volumeMounts"]}
            assert {config["FUPAN_KEYS_DIR"], config["FUPAN_TLS_DIR"]} < mounts


@pytest.mark.parametrize("service", SERVICES)
def test_the_service_itself_accepts_its_environment(rendered: Rendered, service: str, tmp_path: Path) -> None:
    (box,) = containers(rendered.services[service])
    environ = dict(_config(rendered))
    for variable in box["env"]:
        environ[variable["name"]] = SECRETS[variable["valueFrom"]["secretKeyRef"]["key"]]
    # Where Kubernetes mounts Secrets, this test has an empty folder.
    environ |= {name: str(tmp_path) for name in environ if name.endswith("_DIR")}
    config = Config.read(service, environ)
    assert (config.nats_user, config.nats_password, config.nats_replicas) == ("user", "pass", 3)
    assert config.peers.keys() == set(SERVICES)
    assert not config.demo


def test_every_variable_is_one_that_a_service_reads(rendered: Rendered) -> None:
    given = set(_config(rendered))
    for deployment in rendered.services.values():
        given |= {variable["name"] for box in containers(deployment) for variable in box["env"]}
    assert given <= set(re.findall(r"`(FUPAN_[A-Z_]+)`", configuration.__doc__ or ""))


def test_the_console_accepts_its_environment(rendered: Rendered) -> None:
    console = rendered.by_name("Deployment")["console"]
    (box,) = containers(console)
    assert box["args"] == ["clients.console"]
    environ = {variable["name"]: variable["value"] for variable in box["env"]}
    assert environ.keys() <= set(re.findall(r"`(FUPAN_[A-Z_]+)`", console_settings.__doc__ or ""))
    settings = console_settings.Settings.read(environ)
    (port,) = box["ports"]
    assert (settings.host, settings.port) == ("0.0.0.0", port["containerPort"])
    for name, address in settings.services.items():
        (grpc,) = [one for one in rendered.by_name("Service")[name]["spec"]["ports"] if one["name"] == "grpc"]
        assert address == f"{name}:{grpc['port']}"
    mounts = [mount["mountPath"] for mount in box["volumeMounts"]]
    assert {str(file.parent) for file in (settings.token_file, settings.issuers) if file} <= set(mounts)
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert box[probe]["httpGet"] == {"path": "/healthz", "port": port["name"]}
    assert references(console)["Secret"] == {"fupan-console"}


def test_selectors_of_budgets_scalers_and_spreads_hit_their_workload(rendered: Rendered) -> None:
    workloads = rendered.workloads
    assert rendered.by_name("PodDisruptionBudget").keys() == workloads.keys()
    assert rendered.by_name("HorizontalPodAutoscaler").keys() == rendered.by_name("Deployment").keys()
    for name, scaler in rendered.by_name("HorizontalPodAutoscaler").items():
        assert scaler["spec"]["scaleTargetRef"] == {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": name,
        }
        assert "replicas" not in workloads[name]["spec"], "the scaler owns the count"
    for name, workload in workloads.items():
        own = pod_labels(workload)
        budget = rendered.by_name("PodDisruptionBudget")[name]["spec"]["selector"]
        spreads = [item["labelSelector"] for item in pod_spec(workload)["topologySpreadConstraints"]]
        for selector in [budget, workload["spec"]["selector"], *spreads]:
            assert [pod[0] for pod in rendered.pods(selector["matchLabels"])] == [own]


def test_network_policies_name_pods_and_ports_that_exist(rendered: Rendered) -> None:
    policies = rendered.by_name("NetworkPolicy")
    assert policies.keys() == {"deny-all", "dns", "services", "console", "nats", "postgres"}
    for name in ("services", "console", "nats", "postgres"):
        spec = policies[name]["spec"]
        own = _selected(rendered, spec["podSelector"])
        for rule in spec["ingress"]:
            assert rule["from"], f"{name} lets in everybody"
            assert rule["ports"], f"{name} opens everything"
            _assert_peers_exist(rendered, rule["from"])
            _assert_open(own, rule["ports"])
        for rule in spec["egress"]:
            peers = _assert_peers_exist(rendered, rule.get("to", ()))
            if peers:
                _assert_open(peers, rule["ports"])


def test_everything_is_denied_that_is_not_allowed(rendered: Rendered) -> None:
    spec = rendered.by_name("NetworkPolicy")["deny-all"]["spec"]
    assert spec == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


@pytest.mark.parametrize("policy_name", ["services", "console"])
def test_what_a_service_may_call_lets_it_in(rendered: Rendered, policy_name: str) -> None:
    """Each egress from a service, or the console, to pods of ours has its ingress on the other side, on the same port."""
    policies = rendered.by_name("NetworkPolicy")
    caller = policies[policy_name]["spec"]["podSelector"]
    for rule in policies[policy_name]["spec"]["egress"]:
        for peer in rule["to"]:
            if "podSelector" not in peer:
                continue
            (entry,) = [
                policy["spec"]
                for policy in policies.values()
                if policy["spec"]["podSelector"] == peer["podSelector"]
            ]
            pods = _selected(rendered, peer["podSelector"])
            opened = {
                pods[0].get(port["port"], port["port"])
                for allowed in entry["ingress"]
                if {"podSelector": caller} in allowed["from"]
                for port in allowed["ports"]
            }
            assert {port["port"] for port in rule["ports"]} <= opened


def _assert_peers_exist(rendered: Rendered, peers: Any) -> list[dict[str, int]]:
    return list(
        chain.from_iterable(
            _selected(rendered, peer["podSelector"]) for peer in peers if "podSelector" in peer
        )
    )


def _selected(rendered: Rendered, selector: Object) -> list[dict[str, int]]:
    pods = rendered.pods(selector["matchLabels"])
    assert pods, f"no pod has {selector}"
    return [ports for _, ports in pods]


def _assert_open(pods: list[dict[str, int]], ports: list[Object]) -> None:
    for port in ports:
        for opened in pods:
            assert port["port"] in opened or port["port"] in opened.values(), f"{port} is not one of {opened}"


def _config(rendered: Rendered) -> dict[str, str]:
    data: dict[str, str] = rendered.by_name("ConfigMap")["fupan-config"]["data"]
    return data
