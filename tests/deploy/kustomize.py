"""Render a kustomization without the kustomize binary: the part of it that deploy/k8s uses.

    python -m tests.deploy.kustomize deploy/k8s/overlays/production

Known are `resources`, `namespace`, `labels`, `images` and strategic merge `patches`; anything else is
refused, not left out. Where kustomize itself is at hand, the tests compare with it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Object = dict[str, Any]

KNOWN = {"apiVersion", "kind", "resources", "namespace", "labels", "images", "patches"}
CLUSTER_WIDE = {"Namespace"}
# By which key the items of a list are matched when a patch is merged in.
MERGE_KEYS = {"containers": "name", "env": "name", "volumes": "name", "volumeMounts": "mountPath"}


def render(folder: Path) -> list[Object]:
    """All objects of the kustomization in `folder`: resources, patched, then namespace, labels and images."""
    spec = yaml.safe_load((folder / "kustomization.yaml").read_text("utf-8"))
    if unknown := spec.keys() - KNOWN:
        raise ValueError(f"{folder}: {', '.join(sorted(unknown))} is not supported")
    objects = [obj for name in spec["resources"] for obj in _resource(folder / name)]
    for patch in spec.get("patches", ()):
        objects = _patched(objects, folder, patch)
    for obj in objects:
        if "namespace" in spec and obj["kind"] not in CLUSTER_WIDE:
            obj["metadata"]["namespace"] = spec["namespace"]
        for rule in spec.get("labels", ()):
            _label(obj, rule)
        for container in containers(obj):
            container["image"] = _image(container["image"], spec.get("images", ()))
    return objects


def containers(obj: Object) -> Iterator[Object]:
    """The containers of a workload; none for anything else."""
    if template := pod_template(obj):
        yield from template["spec"]["containers"]


def pod_template(obj: Object) -> Object | None:
    """The pod template of a workload; None for anything else."""
    template = obj.get("spec", {}).get("template")
    return template if isinstance(template, dict) else None


def merge(base: Any, patch: Any, field: str = "") -> Any:
    """Strategic merge of `patch` into `base`: maps by key (null deletes), lists of objects by merge key.

    What a list gains comes first, as in kustomize.
    """
    if isinstance(base, dict) and isinstance(patch, dict):
        merged = {key: value for key, value in base.items() if key not in patch}
        kept = {key: value for key, value in patch.items() if value is not None}
        return merged | {key: merge(base.get(key), value, key) for key, value in kept.items()}
    if isinstance(patch, list) and isinstance(base, list) and any(isinstance(item, dict) for item in patch):
        if field not in MERGE_KEYS:
            raise ValueError(f"a patch of the list `{field}` is not supported")
        key = MERGE_KEYS[field]
        old, new = ({item[key]: item for item in items} for items in (base, patch))
        added = [item for name, item in new.items() if name not in old]
        return added + [merge(item, new[name]) if name in new else item for name, item in old.items()]
    return patch


def _resource(path: Path) -> list[Object]:
    if path.is_dir():
        return render(path)
    return [obj for obj in yaml.safe_load_all(path.read_text("utf-8")) if obj]


def _patched(objects: list[Object], folder: Path, patch: Object) -> list[Object]:
    if patch.keys() - {"path", "target"}:
        raise ValueError(f"{folder}: a patch has `path` and perhaps `target`, not {sorted(patch)}")
    (body,) = _resource(folder / patch["path"])
    target = patch.get("target") or {"kind": body["kind"], "name": body["metadata"]["name"]}
    hits = [_matches(obj, target) for obj in objects]
    if not any(hits):
        raise ValueError(f"{folder}: {patch['path']} patches nothing")
    change = {key: value for key, value in body.items() if key not in ("apiVersion", "kind", "metadata")}
    return [merge(obj, change) if hit else obj for obj, hit in zip(objects, hits, strict=True)]


def _matches(obj: Object, target: Object) -> bool:
    if target.keys() - {"kind", "name", "labelSelector"}:
        raise ValueError(f"unsupported patch target: {target}")
    labels = obj["metadata"].get("labels", {})
    wanted = dict(pair.split("=") for pair in target.get("labelSelector", "").split(",") if pair)
    named = target.get("name") in (None, obj["metadata"]["name"])
    return named and target.get("kind") in (None, obj["kind"]) and wanted.items() <= labels.items()


def _label(obj: Object, rule: Object) -> None:
    if rule.keys() != {"pairs", "includeTemplates"}:
        raise ValueError(f"unsupported labels rule: {sorted(rule)}")
    templates = [pod_template(obj), *obj.get("spec", {}).get("volumeClaimTemplates", ())]
    for labelled in filter(None, [obj, *(templates if rule["includeTemplates"] else ())]):
        labelled["metadata"].setdefault("labels", {}).update(rule["pairs"])


def _image(image: str, rules: list[Object]) -> str:
    name = image.partition("@")[0].partition(":")[0]
    for rule in rules:
        if rule.keys() != {"name", "newTag"}:
            raise ValueError(f"unsupported images rule: {sorted(rule)}")
        if rule["name"] == name:
            return f"{name}:{rule['newTag']}"
    return image


if __name__ == "__main__":
    yaml.safe_dump_all(render(Path(sys.argv[1])), sys.stdout, sort_keys=False, allow_unicode=True)
