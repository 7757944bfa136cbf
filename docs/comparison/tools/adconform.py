"""adconform itself: at standard depth, with a budget and deep."""

import json

from .base import Tool, written


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
            if finding["severity"] != "notice"
        } or {"nonconforming"}

    def setup(self, target_file):
        return written(target_file)


class AdconformBudget(Adconform):
    """As many requests as Portman's collection has, for those with a slow server."""

    name = "adconform --budget 28"
    seeded = False

    def command(self, server, folder, seed):
        command, environment = super().command(server, folder, seed)
        return [*command, "--budget", "28"], environment


class AdconformDeep(Adconform):
    """With the random sequences and the rarer requests that a gate may have no time for."""

    name = "adconform --depth deep"
    seeded = False

    def command(self, server, folder, seed):
        command, environment = super().command(server, folder, seed)
        return [*command, "--depth", "deep"], environment
