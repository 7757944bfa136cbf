"""One class for each tool: how it is called, and what it reported.

`command` gives the command line and the environment variables for a server, and
puts what the tool reads into `folder`, where it then runs. `failures` gives what it
reported as a set of texts that are the same whenever the same thing fails. A tool
that is `seeded` is run with several seeds; one that is `slow` after the others.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
THIRD_PARTY = os.path.join(HERE, "../../.ci/third-party")
DOCUMENT = os.path.abspath(os.path.join(HERE, "../../spec/openapi.yaml"))


def put(folder, *names, source=HERE):
    for name in names:
        shutil.copy(os.path.join(source, name), folder)


def write_json(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(value, file)


def read_json(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def written(*files):
    """Lines that somebody had to write: without blank lines, comments and docstrings."""
    count = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r'""".*?"""', "", file.read(), flags=re.DOTALL)
        count += sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith(("#", "//")))
    return count


class Tool:
    seeded = slow = False


class Adconform(Tool):
    name = "adconform"
    seeded = True

    def __init__(self, places):
        self.program = places["adconform"]

    def command(self, server, folder, seed):
        return [
            self.program,
            "run",
            "--target",
            server.target_file,
            "--seed",
            str(seed),
            "--format",
            "json",
        ], {}

    def failures(self, folder, output, status):
        if status != 1:  # the verdict counts, which the exit code gives
            return set()
        return {
            f"{finding['clause']} {finding.get('operation', '')}"
            for finding in json.loads(output)["findings"]
            if finding["severity"] == "violation"
        }

    def setup(self, target_file):
        return written(target_file)


class AdconformBudget(Adconform):
    """As many requests as Portman's collection has, for those with a slow server."""

    name = "adconform --budget 28"
    seeded = False

    def command(self, server, folder, seed):
        command, environment = super().command(server, folder, seed)
        return [*command, "--budget", "28"], environment


class SchemathesisDefault(Tool):
    """As it comes, with the key that nothing works without."""

    name = "schemathesis, default"
    config, flags = [], []

    def __init__(self, places):
        self.program = os.path.join(places["venv"], "bin/schemathesis")

    def command(self, server, folder, seed):
        return [
            *[self.program, *self.config, "run", DOCUMENT, "--url", server.url, "--seed", str(seed)],
            *(self.flags or ["--header", f"{server.header}: {server.keys['owner']}"]),
            *["--report", "json", "--report-json-path", "report.json"],
        ], {}

    def failures(self, folder, output, status):
        report = read_json(folder, "report.json")
        found = {
            f"{failure['title']}: {operation}"
            for failure in report["failures"]
            for operation in failure["operations"]
        }
        return found | {f"error: {json.dumps(error, sort_keys=True)[:200]}" for error in report["errors"]}

    def setup(self, target_file):
        return 1  # the header


class Schemathesis(SchemathesisDefault):
    """Two users, ids, links, the reference's choices; else as its guide to benchmarks has it."""

    name = "schemathesis"
    seeded = True
    config = ["--config-file", "schemathesis.toml"]  # which goes on after a failure
    flags = ["--no-shrink", "--suppress-health-check", "all"]

    def command(self, server, folder, seed):
        put(folder, "schemathesis.toml", "reference_choices.py", source=THIRD_PARTY)
        put(folder, "schemathesis_links.py")
        users = [
            {"name": user, "fixedHeaders": [{"name": server.header, "value": key}]}
            for user, key in server.keys.items()
        ]
        write_json(folder, "users.json", {"auth": users})
        command, _ = super().command(server, folder, seed)
        return command, {"SCHEMATHESIS_HOOKS": "schemathesis_links"}

    def setup(self, target_file):
        config = [os.path.join(THIRD_PARTY, name) for name in ("schemathesis.toml", "reference_choices.py")]
        links = os.path.join(HERE, "schemathesis_links.py")
        return written(*config, links) + 2  # the two users of users.json


class SchemathesisTimed(Schemathesis):
    """The guide bounds a run by the clock, not by the number of examples."""

    name = "schemathesis --max-time 30"
    seeded, slow = False, True
    flags = [*Schemathesis.flags, "--max-time", "30"]


class Dredd(Tool):
    name = "dredd"

    def __init__(self, places):
        self.program = os.path.join(places["npm"], "node_modules/.bin/dredd")

    def command(self, server, folder, seed):
        put(folder, "dredd-hooks.js")
        write_json(folder, "target.json", {"header": server.header, "keys": server.keys})
        return [
            self.program,
            DOCUMENT,
            server.url,
            "--hookfiles",
            "dredd-hooks.js",
            "--loglevel",
            "error",
            "--reporter",
            "xunit",
            "--output",
            "report.xml",
        ], {}

    def failures(self, folder, output, status):
        return failed_cases(os.path.join(folder, "report.xml"))

    def setup(self, target_file):
        return written(os.path.join(HERE, "dredd-hooks.js")) + 2  # the two keys of target.json


class Portman(Tool):
    """Makes a Postman collection of the document, which newman runs."""

    name = "portman, newman"

    def __init__(self, places):
        self.bin = os.path.join(places["npm"], "node_modules/.bin")
        self.config = os.path.join(places["npm"], "node_modules/@apideck/portman/postman-config.default.json")

    def command(self, server, folder, seed):
        put(folder, "portman.yaml")
        portman = (
            f"{self.bin}/portman --local {DOCUMENT} --baseUrl {server.url} "
            f"-c portman.yaml -s {self.config} -o collection.json --no-warn"
        )
        keys = " ".join(f"--env-var {user}Key={key}" for user, key in server.keys.items())
        newman = (
            f"{self.bin}/newman run collection.json --ignore-redirects {keys} "
            "--reporters json --reporter-json-export report.json"
        )
        return ["sh", "-c", f"{portman} && {newman}"], {}

    def failures(self, folder, output, status):
        run = read_json(folder, "report.json")["run"]
        return {
            f"{failure['source'].get('name', '')}: {failure['error'].get('test') or failure['error']['name']}"
            for failure in run["failures"]
        }

    def setup(self, target_file):
        return written(os.path.join(HERE, "portman.yaml")) + 2  # the two keys of the command line


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
        files = ("specmatic.yaml", "specmatic-overlay.yaml", "specmatic-examples.yaml")
        return written(*(os.path.join(HERE, name) for name in files)) + 2


def failed_cases(junit):
    # Ids and such in a name differ from run to run.
    return {
        re.sub(r"\d{4,}", "N", case.get("name"))
        for case in ET.parse(junit).iter("testcase")
        if any(child.tag in ("failure", "error") for child in case)
    }


def write_examples(server, folder):
    """Writes each line of specmatic-examples.yaml as a file, with the document's answer."""
    with open(DOCUMENT, encoding="utf-8") as file:
        components = yaml.safe_load(file)["components"]

    def example(schema):
        return {name: value["example"] for name, value in components["schemas"][schema]["properties"].items()}

    objects = {
        "connection-profiles": "ConnectionProfile",
        "hosts": "ConnectionProfileRuleHost",
        "campaigns": "Campaign",
    }
    with open(os.path.join(HERE, "specmatic-examples.yaml"), encoding="utf-8") as file:
        lines = yaml.safe_load(file)
    os.makedirs(folder)
    for number, line in enumerate(lines):
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


ALL = (
    Adconform,
    AdconformBudget,
    SchemathesisDefault,
    Schemathesis,
    SchemathesisTimed,
    Dredd,
    Portman,
    Specmatic,
)


def versions(places):
    """The version of each tool, as it says itself or its package does."""
    said = {
        **{name: places[name] for name in ("adconform commit", "Go", "Node.js", "Python", "Java")},
        "schemathesis": subprocess.run(
            [os.path.join(places["venv"], "bin/schemathesis"), "--version"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()[-1],
    }
    for name in ("dredd", "@apideck/portman", "newman", "specmatic"):
        said[name] = read_json(os.path.join(places["npm"], "node_modules", name), "package.json")["version"]
    return said
