"""Writes a JSON Schema for each kind that examples use, from a file that defines all kinds: Kubernetes' swagger.json,
or the schema of Argo Workflows. Unknown members are refused at every level, as `kubeconform -strict` asks.

    schemas.py DEFINITIONS.json FOLDER
"""

import json
import os
import sys

KINDS = {
    "io.k8s.api.core.v1.Pod": "pod",
    "io.k8s.api.batch.v1.Job": "job",
    "io.k8s.api.batch.v1.CronJob": "cronjob",
    "io.argoproj.workflow.v1alpha1.Workflow": "workflow",
}
# Their description is of a type that JSON writes in another one: a quantity or a port may be a number or a text.
EITHER = ("io.k8s.apimachinery.pkg.api.resource.Quantity", "io.k8s.apimachinery.pkg.util.intstr.IntOrString")


def main(source, folder):
    with open(source, encoding="utf-8") as file:
        definitions = json.load(file)["definitions"]
    for name, definition in definitions.items():
        if name in EITHER:
            definitions[name] = {"type": ["string", "integer", "number"]}
        elif "properties" in definition:
            definition.setdefault("additionalProperties", False)
    os.makedirs(folder, exist_ok=True)
    for name, kind in KINDS.items():
        if name not in definitions:
            continue
        with open(os.path.join(folder, kind + ".json"), "w", encoding="utf-8") as file:
            json.dump({"$ref": f"#/definitions/{name}", "definitions": definitions}, file)


main(*sys.argv[1:])
