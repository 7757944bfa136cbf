"""Dredd, with hooks."""

import os

from .base import DOCUMENT, HERE, Tool, failed_cases, put, write_json, written


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
