"""Runs adconform fuzz and Schemathesis against servers with crashes, and writes results.json.

    fuzz.py PLACES RESULTS [--minutes N] [--seeds N] …
    fuzz.py PLACES RESULTS --self-check

PLACES is a JSON file with the paths of what `run` installed and built. What RESULTS has
already is kept and not run again, so a run that is broken off goes on.
"""

import argparse
import concurrent.futures
import contextlib
import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import yaml
from compare import Results, measure, said
from server import Server
from tools.adconform import Adconform
from tools.schemathesis import Schemathesis

SERVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../servers")


class Fuzz(Adconform):
    """adconform fuzz, with a budget of requests or of time."""

    def __init__(self, places, flag, bound):
        super().__init__(places)
        self.name, self.bound = f"adconform fuzz {flag} {bound}", [flag, bound]

    def command(self, server, folder, seed):
        return [self.program, "fuzz", server.target_file, *self.bound, "--seed", str(seed), "--report", "report"], {}

    def failures(self, folder, output, status):
        if status not in (0, 1, 130):
            raise ValueError("nothing was tested")
        with open(os.path.join(folder, "report/report.json"), encoding="utf-8") as file:
            findings = json.load(file)["findings"]
        return {f"{one['clause']} {one.get('operation', '')}" for one in findings if one["severity"] != "notice"}


class Recorded:
    """A fresh server, the plain reference or one of SERVERS, behind the recorder.

    With a crash, or "watch" for none while X-Reached tells the recorder which of them a
    request meets. `seen` is what the recorder wrote, once the server has stopped.
    """

    def __init__(self, places, folder, kind, crash, on_shown=None):
        self.places, self.folder, self.kind, self.crash, self.on_shown = places, folder, kind, crash, on_shown
        self.seen = None

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            text, base = stack.enter_context(served(self.places, self.folder, self.kind, self.crash))
            self.file = os.path.join(self.folder, "seen.json")
            command = [self.places["record"], base.removeprefix("http://").removesuffix("/v2"), self.file]
            self.recorder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
            stack.callback(self.stop)
            self.url = f"http://{self.recorder.stdout.readline().strip()}/v2"
            threading.Thread(target=self.listen, daemon=True).start()
            self.target_file = os.path.join(self.folder, "recorded.yaml")
            with open(self.target_file, "w", encoding="utf-8") as file:
                file.write(text.replace(f"baseURL: {base}", f"baseURL: {self.url}"))
            self.header, self.keys = "X-API-Key", keys_of(text)
            self.stack = stack.pop_all()
        return self

    def listen(self):
        for _ in self.recorder.stdout:
            if self.on_shown:
                self.on_shown()

    def stop(self):
        if self.recorder.poll() is None:
            self.recorder.terminate()
            self.recorder.wait()
        with open(self.file, encoding="utf-8") as file:
            self.seen = json.load(file)

    def requests(self):
        self.stop()
        return self.seen["requests"]

    def __exit__(self, *_):
        self.stack.close()


def keys_of(text):
    target = yaml.safe_load(text)
    return {user: target["credentials"][user]["value"] for user in ("owner", "stranger")}


@contextlib.contextmanager
def served(places, folder, kind, crash):
    """Starts a server with the crash, and gives the text of its target file and its base URL."""
    if kind == "reference":
        with Server(places, folder, {"kind": "outside", "id": crash or "none"}) as server:
            with open(server.target_file, encoding="utf-8") as file:
                yield file.read(), server.url
        return
    with open(os.path.join(folder, "server.err"), "w", encoding="utf-8") as err:
        process = subprocess.Popen(
            places[kind], env={**os.environ, "CRASH": crash}, stdout=subprocess.PIPE, stderr=err, text=True, start_new_session=True
        )
    try:
        url = process.stdout.readline().strip()
        with open(os.path.join(SERVERS, "target.yaml"), encoding="utf-8") as file:
            yield file.read().replace("URL/v2", f"{url}/v2"), f"{url}/v2"
    finally:
        process.terminate()
        process.wait()


def crashes(places):
    """Of each kind of server, those that its list has."""
    lines = [line.split("  ", 1) for line in said(places["outside"]).splitlines()]
    listed = {"reference": [{"id": crash, "what": what} for crash, what in lines if crash != "none"]}
    for kind in ("flask", "express"):
        listed[kind] = json.loads(said(*places[kind], "list"))
    return [{"kind": kind, **one} for kind, of in listed.items() for one in of]


def reach(places, tool, kind, seed, timeout):
    """What a tool reaches on a server that shows none of its crashes."""
    kept = []

    def serve(folder):
        kept.append(Recorded(places, folder, kind, "watch"))
        return kept[0]

    result = measure(tool, serve, {"kind": "reach", "id": kind}, seed, timeout)
    seen = kept[0].seen
    return {**result, **{key: seen[key] for key in ("classes", "reached", "shown")}, "members": len(seen["members"])}


def live(places, tool, one, seed, timeout):
    """Whether a tool reports a crash. A second after the first answer of 500 it is interrupted."""
    kept, shown, process = [], threading.Event(), []

    def serve(folder):
        kept.append(Recorded(places, folder, one["kind"], one["id"], shown.set))
        return kept[0]

    def interrupt(begun):
        shown.wait(timeout)
        time.sleep(1)
        with contextlib.suppress(ProcessLookupError):
            begun.send_signal(signal.SIGINT)

    def begun(started):
        process.append(started)
        if "--duration" in tool.name:
            threading.Thread(target=interrupt, args=(started,), daemon=True).start()

    named = {"kind": "crash", "id": f"{one['kind']}/{one['id']}"}
    result = measure(tool, serve, named, seed, timeout, begun)
    shown.set()
    return {**result, "shown": kept[0].seen["shown"]}


def proven(places, folder, kind, crash, proof):
    """Sends a proof as it is, and gives the last status and what X-Reached told."""
    with Recorded(places, folder, kind, crash) as server:
        host = server.url.removeprefix("http://").removesuffix("/v2")
        for text in proof:
            head, _, body = text.partition("\n\n")
            line, *own = head.split("\n")
            usual = {"X-API-Key": server.keys["owner"], "Content-Type": "application/json"}
            usual |= {"Host": host, "Connection": "close", "Content-Length": len(body)}
            given = {field.split(":")[0] for field in own}
            lines = [line + " HTTP/1.1"] + [field for field in own if ":" in field]
            lines += [f"{name}: {value}" for name, value in usual.items() if name not in given]
            address, port = host.split(":")
            with socket.create_connection((address, int(port)), timeout=20) as connection:
                connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode("latin-1"))
                answer = b""
                while part := connection.recv(65536):
                    answer += part
    return int(answer.split()[1]), server.seen["reached"]


def self_check(places):
    """Each crash is shown by its proof, to the watch too; without it the server stands."""
    wrong = 0
    for one in crashes(places):
        if "proof" not in one:
            continue
        answers = {}
        for crash in (one["id"], "watch", ""):
            with tempfile.TemporaryDirectory() as folder:
                answers[crash] = proven(places, folder, one["kind"], crash, one["proof"])
        good = answers[one["id"]][0] == 500 and answers[""][0] < 500 and one["id"] in answers["watch"][1]
        wrong += not good
        print("ok   " if good else "WRONG", one["kind"], one["id"], answers, flush=True)
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("places")
    options.add_argument("results")
    options.add_argument("--minutes", type=float, default=60, help="nothing is begun after that")
    options.add_argument("--seeds", type=int, default=5, help="seeds from 1")
    options.add_argument("--seconds", type=int, default=60, help="what adconform fuzz is given")
    options.add_argument("--parallel", type=int, default=os.cpu_count() + 1)
    options.add_argument("--only", default="", help="runs of these kinds: speed, reach, crash")
    options.add_argument("--tools", default="", help="tools whose name begins so")
    options.add_argument("--self-check", action="store_true", help="show each crash by the request that it is listed with")
    given = options.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open(given.places, encoding="utf-8") as file:
        places = json.load(file)
    if given.self_check:
        sys.exit(self_check(places) and 1)
    end = time.monotonic() + 60 * given.minutes
    few, long = Fuzz(places, "--requests", "300"), Fuzz(places, "--duration", f"{given.seconds}s")
    every = [few, long, Schemathesis(places)]
    seeds = list(range(1, given.seeds + 1))
    listed = crashes(places)
    sample = [{key: one[key] for key in ("kind", "id", "what")} for one in listed]
    head = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "versions": versions(places), "cores": os.cpu_count()}
    head |= {"tools": {tool.name: seeds for tool in every}, "kinds": said(places["record"]).splitlines(), "sample": sample}
    results = Results(given.results, head)

    def once(kind, tool, of, seed, run):
        key = (tool.name, kind, of, seed)
        wanted = (not given.only or kind in given.only.split(",")) and tool.name.startswith(given.tools)
        if wanted and key not in results.done and time.monotonic() < end:
            results.add({**run(), "commit": places["adconform commit"]})

    plain = {"kind": "speed", "id": "reference"}
    for tool in (long, every[2]):  # alone
        once("speed", tool, "reference", 1, lambda tool=tool: measure(
            tool, lambda folder: Server(places, folder, {"kind": "plain", "id": "plain"}), plain, 1, 300))

    def reported(one):
        of = f"{one['kind']}/{one['id']}"
        once("crash", few, of, 1, lambda: live(places, few, one, 1, 120))
        if not any(run["failures"] for run in results.data["runs"] if (run["kind"], run["id"]) == ("crash", of)):
            once("crash", long, of, 1, lambda: live(places, long, one, 1, given.seconds + 60))

    with concurrent.futures.ThreadPoolExecutor(given.parallel) as pool:
        waiting = []

        def reached(*of):
            for tool, seed, kind in itertools.product(of, seeds, ("reference", "flask", "express")):
                run = functools.partial(reach, places, tool, kind, seed, 300)
                waiting.append(pool.submit(once, "reach", tool, kind, seed, run))

        reached(few, every[2])
        waiting += [pool.submit(reported, one) for one in listed]
        reached(long)
        for one in waiting:
            one.result()


def versions(places):
    program = os.path.join(places["venv"], "bin/schemathesis")
    return {**{name: places[name] for name in ("Go", "Node.js", "Python")}, "schemathesis": said(program, "--version").split()[-1]}


if __name__ == "__main__":
    main()
