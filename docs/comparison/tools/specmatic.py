"""Specmatic, and the files of examples that it reads."""

import glob
import os
import shutil

import yaml

from .base import DOCUMENT, HERE, Tool, examples, failed_cases, put, write_json, written


class Specmatic(Tool):
    name = "specmatic"

    def __init__(self, places):
        self.jar = os.path.join(places["npm"], "node_modules/specmatic/specmatic.jar")

    def command(self, server, folder, seed):
        put(folder, "specmatic.yaml", "specmatic-overlay.yaml")
        shutil.copy(DOCUMENT, folder)
        write_examples(server, os.path.join(folder, "examples"))
        # The environment variable is named like the security scheme.
        return [
            "java",
            *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),  # half the processor time of a run this short
            "-jar",
            self.jar,
            "test",
            "--testBaseURL",
            server.url,
            "--examples",
            "examples",
            "--overlay-file",
            "specmatic-overlay.yaml",
            "--junitReportDir",
            "junit",
        ], {"apiKey": server.keys["owner"]}

    def failures(self, folder, output, status):
        return {
            name for report in glob.glob(os.path.join(folder, "junit/*.xml")) for name in failed_cases(report)
        }

    def setup(self, target_file):
        files = ("specmatic.yaml", "specmatic-overlay.yaml", "examples.yaml")
        return written(*(os.path.join(HERE, name) for name in files)) + 2


def write_examples(server, folder):
    """Writes each line of examples.yaml as a file, with the document's answer."""
    with open(DOCUMENT, encoding="utf-8") as file:
        components = yaml.safe_load(file)["components"]

    def example(schema):
        return {name: value["example"] for name, value in components["schemas"][schema]["properties"].items()}

    objects = {
        "connection-profiles": "ConnectionProfile",
        "hosts": "ConnectionProfileRuleHost",
        "campaigns": "Campaign",
    }
    os.makedirs(folder)
    for number, line in enumerate(examples()):
        request = {"method": line["method"], "path": line["path"]}
        request["headers"] = {server.header: server.keys.get(line["key"], line["key"])}
        if "body" in line:
            request["headers"]["Content-Type"] = "application/json"
            request["body"] = line["body"]
        response = {"status": line["status"]}
        if line["status"] >= 400:
            response["body"] = components["responses"][f"Error{line['status']}"]["content"][
                "application/json"
            ]["example"]
        elif line["method"] == "GET":
            response["body"] = {"meta": {"pagination": example("Pagination")}, "data": [example("Creative")]}
        elif line["method"] == "PATCH":
            response["body"] = {"data": example(objects[line["path"].split("/")[-2]])}
        if "body" in response:
            response["headers"] = {"Content-Type": "application/json"}
        write_json(folder, f"{number:02}.json", {"http-request": request, "http-response": response})
