"""Portman, and newman which runs what it makes."""

import os

from .base import DOCUMENT, HERE, Tool, put, read_json, written


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
