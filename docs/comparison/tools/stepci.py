"""Step CI, with one test for each line of examples.yaml."""

import os
import re

import yaml

from .base import DOCUMENT, HERE, Tool, examples, written


class StepCI(Tool):
    """Its generator fails on a document with references to responses, so each test is an example."""

    name = "stepci"

    def __init__(self, places):
        self.program = os.path.join(places["npm"], "node_modules/.bin/stepci")

    def command(self, server, folder, seed):
        write_workflow(server, os.path.join(folder, "workflow.yml"))
        return [self.program, "run", "workflow.yml"], {"STEPCI_DISABLE_ANALYTICS": "1", "NO_COLOR": "1"}

    def failures(self, folder, output, status):
        failed = set(re.findall(r"^ *FAIL +(.+?) ⏲", output, re.MULTILINE))
        return failed or ({f"exit {status}"} if status else set())

    def setup(self, target_file):
        return written(os.path.join(HERE, "examples.yaml")) + 2  # the two keys


def write_workflow(server, path):
    with open(DOCUMENT, encoding="utf-8") as file:
        document = yaml.safe_load(file)
    tests = {}  # one step each: after a failed step Step CI skips those that follow
    for line in examples():
        step = {"url": server.url + line["path"], "method": line["method"], "followRedirects": False}
        step["headers"] = {server.header: server.keys.get(line["key"], line["key"])}
        if "body" in line:
            step["json"] = line["body"]
        step["check"] = {"status": line["status"]}
        schema = answer_of(document, line)
        if schema:
            step["check"]["schema"] = json_schema(document, schema)
            step["check"]["headers"] = {"content-type": [{"match": "application/json"}]}
        if line["status"] == 200 and "body" in line:  # what was sent comes back
            step["check"]["jsonpath"] = {f"$.data.{name}": value for name, value in line["body"].items()}
        if line["status"] >= 400:
            step["check"]["jsonpath"] = {"$.error.responseCode": line["status"]}
        tests[f"{line['status']} {line['method']} {line['path']}"] = {"steps": [{"http": step}]}
    with open(path, "w", encoding="utf-8") as file:
        workflow = {"version": "1.1", "name": "examples", "config": {"concurrency": 1}, "tests": tests}
        yaml.safe_dump(workflow, file, sort_keys=False)


def answer_of(document, line):
    """The schema that the document has for the body of the line's answer, or None."""
    for template, item in document["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), line["path"]):
            answer = resolved(document, item[line["method"].lower()]["responses"][str(line["status"])])
            return answer.get("content", {}).get("application/json", {}).get("schema")
    raise KeyError(line["path"])


def resolved(document, value):
    if "$ref" not in value:
        return value
    place = document
    for part in value["$ref"].removeprefix("#/").split("/"):
        place = place[part]
    return place


def json_schema(document, schema):
    """A schema of OpenAPI 3.0 as one of JSON Schema, without references."""
    schema = resolved(document, schema)
    plain = {
        key: value
        for key, value in schema.items()
        if key in ("type", "required", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems")
    }
    if "properties" in schema:
        plain["properties"] = {name: json_schema(document, of) for name, of in schema["properties"].items()}
    if "items" in schema:
        plain["items"] = json_schema(document, schema["items"])
    for key in ("allOf", "anyOf", "oneOf"):
        if key in schema:
            plain[key] = [json_schema(document, of) for of in schema[key]]
    return {"anyOf": [plain, {"type": "null"}]} if schema.get("nullable") else plain
