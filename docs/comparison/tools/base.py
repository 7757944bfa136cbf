"""What all of them need: files to put where a tool runs, and reports to read."""

import json
import os
import re
import shutil
import xml.etree.ElementTree as ET

import yaml

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THIRD_PARTY = os.path.join(HERE, "../../.ci/third-party")
DOCUMENT = os.path.abspath(os.path.join(HERE, "../../spec/openapi.yaml"))


class Tool:
    seeded = False


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
        count += sum(
            1 for line in text.splitlines() if line.strip() and not line.strip().startswith(("#", "//"))
        )
    return count


def failed_cases(junit):
    # Ids and such in a name differ from run to run.
    return {
        re.sub(r"\d{4,}", "N", case.get("name"))
        for case in ET.parse(junit).iter("testcase")
        if any(child.tag in ("failure", "error") for child in case)
    }


def examples():
    """The lines of examples.yaml, a request each with the status that it wants."""
    with open(os.path.join(HERE, "examples.yaml"), encoding="utf-8") as file:
        return yaml.safe_load(file)
