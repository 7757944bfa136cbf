"""The reference server, broken or not, and what it counted."""

import json
import os
import subprocess
import time

import yaml


class Server:
    """A fresh `adconform serve` on a free loopback port, within a with statement.

    kind "fault" and "variant" give it the seeded fault or variant with the id,
    "mutant" is the program whose source has the mutant with this number, "outside"
    puts the proxy of outside/ with this defect before it, and "plain" leaves it as
    it is. Its target file and its log are in `folder`.
    """

    def __init__(self, places, folder, one):
        kind, subject = one["kind"], one["id"]
        self.process = self.proxy = None
        self.proxy_command = [places["outside"], subject] if kind == "outside" else None
        self.environment = {"ADCONFORM_MUTANT": str(one.get("number", 0))}
        self.target_file = os.path.join(folder, "target.yaml")
        self.log = os.path.join(folder, "server.log")
        program = places["mutants" if kind == "mutant" else "adconform"]
        self.command = [program, "serve", "--addr", "127.0.0.1:0", "--control", "--log", "json"]
        self.command += ["--write-target", self.target_file]
        if kind in ("fault", "variant"):
            self.command += [f"--{kind}", subject]

    def __enter__(self):
        with open(self.log, "w", encoding="utf-8") as log:
            # In a session of its own: Ctrl-C must not take the server from a tool at work.
            self.process = subprocess.Popen(
                self.command,
                env={**os.environ, **self.environment},
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + 120
        while not os.path.exists(self.target_file) or not os.path.getsize(self.target_file):
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(self.log, encoding="utf-8") as log:
                    raise SystemExit(f"the reference does not start: {' '.join(self.command)}\n{log.read()}")
            time.sleep(0.02)
        with open(self.target_file, encoding="utf-8") as file:
            text = file.read()
        if self.proxy_command:
            behind = yaml.safe_load(text)["baseURL"].removesuffix("/v2")
            self.proxy = subprocess.Popen(
                [*self.proxy_command, behind],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            text = text.replace(behind, self.proxy.stdout.readline().strip())
            with open(self.target_file, "w", encoding="utf-8") as file:
                file.write(text)
        target = yaml.safe_load(text)
        self.url = target["baseURL"]
        self.header = target["credentials"]["header"]
        self.keys = {user: target["credentials"][user]["value"] for user in ("owner", "stranger")}
        return self

    def __exit__(self, *_):
        for process in (self.proxy, self.process):
            if process:
                process.terminate()
                process.wait()

    def requests(self):
        """How many requests came, those that put the world back aside."""
        count = 0
        with open(self.log, encoding="utf-8") as log:
            for line in log:
                entry = json.loads(line) if line.startswith("{") else {}
                count += entry.get("msg") == "request" and not entry["path"].startswith("/_adconform/")
        return count
