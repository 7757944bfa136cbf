#!/usr/bin/env python3
"""adconform beside Schemathesis and Specmatic, on servers with a seeded fault and on conforming variants.

Prints the figures of docs/comparison.md. Needs Go, Python 3.10 or later with venv, npm and Java 17: Schemathesis
is installed as pinned in .ci/third-party/requirements.txt, and configured by the files beside it; Specmatic is
pinned and configured here. The sample is the first faults of each severity, and the first variants, by the
SHA-256 of their ids.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PINNED = os.path.join(ROOT, ".ci/third-party")
TIMEOUT = 900  # seconds that a run may take
SPECMATIC = "specmatic==2.55.1"


def said(*command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def install(work):
    """Builds adconform, and installs the others into a folder."""
    said("go", "build", "-o", f"{work}/adconform", "./cmd/adconform")
    said(sys.executable, "-m", "venv", f"{work}/venv")
    said(f"{work}/venv/bin/pip", "install", "--quiet", "--no-deps", "-r", f"{PINNED}/requirements.txt")
    package = SPECMATIC.replace("==", "@")
    said("npm", "install", "--prefix", work, "--ignore-scripts", "--no-audit", "--no-fund", package)


class Server:
    """`adconform serve` with flags, until the end of a with statement; self.target is its target file."""

    def __init__(self, work, *flags):
        self.folder = tempfile.mkdtemp(dir=work)
        self.target = f"{self.folder}/target.yaml"
        self.command = [f"{work}/adconform", "serve", "--addr", "127.0.0.1:0", "--write-target", self.target, *flags]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.target) or not os.path.getsize(self.target):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"does not start: {' '.join(self.command)}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def adconform(work, server, seed):
    return [f"{work}/adconform", "run", server.target, "--seed", str(seed), "--quiet"]


def schemathesis(work, server, seed):
    """Runs all its checks, with both users, the ids of the world, and the choices of the reference."""
    for name in ("schemathesis.toml", "reference_choices.py"):
        shutil.copy(f"{PINNED}/{name}", server.folder)
    subprocess.run([f"{work}/venv/bin/python", f"{PINNED}/target.py", server.target], cwd=server.folder, check=True)
    url = json.loads(said("cat", f"{server.folder}/target.json"))["baseURL"]
    program = f"{work}/venv/bin/schemathesis"
    return [program, "--config-file", "schemathesis.toml", "run", f"{ROOT}/spec/openapi.yaml", "--url", url, "--seed", str(seed)]


# Specmatic takes for wrong what the document does not allow: this field may be null, as the reference chose.
SPECMATIC_OVERLAY = """
overlay: 1.0.0
info: {title: Choices of the reference, version: 1.0.0}
actions:
  - target: $.components.schemas.ConnectionProfileRuleHostUpdate.properties.regularExpression
    update: {nullable: true}
"""
# The requests of its examples: method, body, the path of an owner's object, of the stranger's, and of an unknown one.
HOSTS = ("12/rules/34/hosts/56", "91/rules/94/hosts/95", "12/rules/34/hosts/98765")
REQUESTS = [
    ("PATCH", {"name": "EU publishers"}, *(f"/connection-profiles/{n}" for n in (12, 91, 98765))),
    ("PATCH", {"hostname": "cdn.example.com"}, *(f"/connection-profiles/{n}" for n in HOSTS)),
    ("PATCH", {"name": "Spring video"}, *(f"/campaigns/{n}" for n in (25, 92, 98765))),
    ("DELETE", None, *(f"/creatives/{n}" for n in (301, 93, 98765))),
    ("GET", None, *(f"/creatives/{n}/media-files" for n in (200, 96, 98765))),
]
SUCCESSES = {"PATCH": (200, {"data": {}}), "GET": (200, {"meta": {}, "data": []}), "DELETE": (204, None)}
REFUSALS = {401: "authenticationFailed", 403: "forbidden", 404: "notFound"}


def refusal(status):
    return status, {"error": {"responseCode": status, "issues": [{"type": REFUSALS[status], "message": "refused"}]}}


def examples(keys):
    """Yields, for each operation, a request that succeeds, and four to be refused, with their answers."""
    owner, stranger = keys["owner"], keys["stranger"]
    for method, body, own, foreign, unknown in REQUESTS:
        kept = own.replace("301", "302")  # the success deletes 301
        rows = [
            (own, owner, SUCCESSES[method]),
            (kept, "wrong", refusal(401)),
            (kept, stranger, refusal(403)),
            (foreign, owner, refusal(403)),
            (unknown, owner, refusal(404)),
        ]
        for path, key, (status, answer) in rows:
            request = {"method": method, "path": path, "headers": {"X-API-Key": key}, "body": body}
            response = {"status": status, "body": answer}
            sides = {"http-request": present(request), "http-response": present(response)}
            yield {"partial": sides} if status == 200 else sides


def present(side):
    return {key: value for key, value in side.items() if value is not None}


def specmatic(work, server, _seed):
    """Runs examples of success and refusal, and its own tests. The proxy keeps it on this machine."""
    subprocess.run([f"{work}/venv/bin/python", f"{PINNED}/target.py", server.target], cwd=server.folder, check=True)
    with open(f"{server.folder}/target.json", encoding="utf-8") as file:
        target = json.load(file)
    os.mkdir(f"{server.folder}/examples")
    for n, example in enumerate(examples(target["keys"])):
        with open(f"{server.folder}/examples/{n}.json", "w", encoding="utf-8") as file:
            json.dump(example, file)
    with open(f"{server.folder}/overlay.yaml", "w", encoding="utf-8") as file:
        file.write(SPECMATIC_OVERLAY)
    settings = [f"apiKey={target['keys']['owner']}", "SPECMATIC_GENERATIVE_TESTS=true", "EXTENSIBLE_SCHEMA=true"]
    proxy = ["-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=1"]
    return [
        "env", *settings, "java", *proxy, "-jar", f"{work}/node_modules/specmatic/specmatic.jar", "test",
        f"{ROOT}/spec/openapi.yaml", "--overlay-file=overlay.yaml", "--examples=examples",
        f"--testBaseURL={target['baseURL']}",
    ]


def used():
    """Returns the processor seconds that ended children took, which other load does not change."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


TOOLS = {"adconform": adconform, "Schemathesis": schemathesis, "Specmatic": specmatic}


def measure(work, tool, flags, seed):
    """Returns whether a tool fails the server, and how many processor seconds it takes."""
    with Server(work, *flags) as server:
        command = TOOLS[tool](work, server, seed)
        before = used()
        try:
            run = subprocess.run(command, cwd=server.folder, capture_output=True, text=True, timeout=TIMEOUT)
            status = run.returncode
        except subprocess.TimeoutExpired:
            status = 0  # it found nothing in time
        seconds = used() - before
    if status not in (0, 1):
        raise SystemExit(f"{tool} on {flags}: exit code {status}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    print(f"{tool} {' '.join(flags)}: exit code {status} in {seconds:.1f} s", file=sys.stderr)
    return status == 1, seconds


def sample(listed, each):
    """The first ids of each kind by their hash, so that nobody chooses them."""
    kinds = {}
    for one in listed:
        kinds.setdefault(one.get("severity", one["kind"]), []).append(one["id"])
    for ids in kinds.values():
        ids.sort(key=lambda one: hashlib.sha256(one.encode()).digest())
    drawn = {kind: kinds[kind][: each[kind == "variant"]] for kind in ("critical", "major", "minor", "variant")}
    return drawn, {kind: len(ids) for kind, ids in kinds.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=3, help="of each severity")
    parser.add_argument("--variants", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    flags = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as work:
        install(work)
        commit = said("git", "describe", "--always", "--dirty=+").strip()
        for tool in TOOLS:
            if measure(work, tool, [], flags.seed)[0]:
                raise SystemExit(f"{tool} fails the reference as it is, so what it says of others shows nothing")
        listed = json.loads(said(f"{work}/adconform", "selftest", "--list", "--json"))
        drawn, of = sample(listed, (flags.faults, flags.variants))
        for kind, ids in drawn.items():
            flag = "--variant" if kind == "variant" else "--fault"
            results[kind] = {one: {tool: measure(work, tool, [flag, one], flags.seed) for tool in TOOLS} for one in ids}
    pin = said("grep", "^schemathesis", f"{PINNED}/requirements.txt").strip()
    date = time.strftime("%Y-%m-%d", time.gmtime())
    print(f"Measured on {date}, commit {commit}, {pin}, {SPECMATIC}, seed {flags.seed}.\n")
    show(results, of)


def show(results, of):
    """The table of the page, and below it what each tool missed or flagged."""
    print(f"| servers | drawn | {' | '.join(TOOLS)} |\n|---|--:|{'--:|' * len(TOOLS)}")
    for kind, servers in results.items():
        what = "conforming variants flagged" if kind == "variant" else f"{kind} faults found"
        counts = " | ".join(str(sum(by[tool][0] for by in servers.values())) for tool in TOOLS)
        print(f"| {what} | {len(servers)} of {of[kind]} | {counts} |")
    seconds = {tool: sorted(by[tool][1] for servers in results.values() for by in servers.values()) for tool in TOOLS}
    print(f"| processor seconds a run, median | | {' | '.join(f'{all[len(all) // 2]:.1f}' for all in seconds.values())} |\n")
    for tool in TOOLS:
        for kind, servers in results.items():
            wrong = [f"`{one}`" for one, by in servers.items() if by[tool][0] == (kind == "variant")]
            if wrong:
                print(f"{tool}, {'variants flagged' if kind == 'variant' else f'{kind} faults missed'}: {', '.join(wrong)}\n")


if __name__ == "__main__":
    main()
