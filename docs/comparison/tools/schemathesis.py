"""Schemathesis: as it comes, and set up."""

import json
import os

from .base import DOCUMENT, HERE, THIRD_PARTY, Tool, put, read_json, write_json, written


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
