"""Runs every tool against the same servers, and writes results.json.

    compare.py PLACES RESULTS [--step N] [--parallel N] [--timeout SECONDS] …

PLACES is a JSON file with the paths of what `run` installed and built. What
RESULTS has already is kept and not run again, so an interrupted run goes on.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import signal
import subprocess
import tempfile
import threading
import time

import tools
from server import Server

PLAIN = "plain"  # in place of an id: the reference as it is


def sample(places, step):
    """Ids of seeded faults and of variants, by one rule that looks at nothing else.

    All ids are sorted and grouped by family, the first part of an id. Of a family
    of n faults ceil(n/step) are taken, spaced evenly; of n variants ceil(12n/step).
    Each with its clause (which a variant has none of) and what it does.
    """
    listed = subprocess.run(
        [places["adconform"], "selftest", "--list", "--json"], capture_output=True, text=True, check=True
    ).stdout
    families = collections.defaultdict(list)
    totals = {"fault": 0, "variant": 0}
    for one in json.loads(listed):
        totals[one["kind"]] += 1
        subject = {"kind": one["kind"], "id": one["id"], "clause": one.get("clause", ""), "what": one["sentence"]}
        families[one["kind"], one["id"].split("/")[0]].append(subject)
    taken = []
    for (kind, _), members in sorted(families.items()):
        members.sort(key=lambda one: one["id"])
        number = math.ceil(len(members) * (1 if kind == "fault" else 12) / step)
        taken += [members[(2 * k + 1) * len(members) // (2 * number)] for k in range(number)]
    for line in subprocess.run(
        [places["outside"]], capture_output=True, text=True, check=True
    ).stdout.splitlines():
        subject, what = line.split("  ", 1)
        taken.append({"kind": "outside", "id": subject, "clause": "", "what": what})
    # In an order that has to do with nothing, so that a run that is broken off is a sample too.
    taken.sort(key=lambda one: hashlib.sha256(one["id"].encode()).digest())
    return taken, totals


def measure(tool, places, kind, subject, seed, timeout):
    """One run of one tool against one fresh server."""
    result = {"tool": tool.name, "kind": kind, "id": subject, "seed": seed}
    with tempfile.TemporaryDirectory(prefix="comparison-") as work:
        served, folder = os.path.join(work, "server"), os.path.join(work, "tool")
        os.mkdir(served)
        os.mkdir(folder)
        with Server(places, served, kind, subject) as server:
            command, environment = tool.command(server, folder, seed)
            out = os.path.join(work, "output")
            start = time.monotonic()
            with (
                open(out, "w", encoding="utf-8") as stdout,
                open(out + ".err", "w", encoding="utf-8") as stderr,
            ):
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    env={**os.environ, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
                late = threading.Event()

                def stop():
                    late.set()
                    os.killpg(process.pid, signal.SIGKILL)

                timer = threading.Timer(timeout, stop)
                timer.start()
                _, status, usage = os.wait4(process.pid, 0)
                timer.cancel()
                process.returncode = os.waitstatus_to_exitcode(status)
            result["seconds"] = round(time.monotonic() - start, 3)
            result["cpuSeconds"] = round(usage.ru_utime + usage.ru_stime, 3)
            result["exit"] = process.returncode
            result["requests"] = server.requests()
            result["setupLines"] = tool.setup(server.target_file)
        result["timedOut"] = late.is_set()
        with open(out, encoding="utf-8") as stdout:
            output = stdout.read()
        try:
            result["failures"] = sorted(tool.failures(folder, output, process.returncode))
        except (OSError, ValueError, KeyError, SyntaxError) as problem:
            # No report: the time was up, or the tool broke off. What it says of that
            # is a failure too, as a user would see it; the time being up is not.
            with open(out + ".err", encoding="utf-8") as stderr:
                said = (stderr.read().strip() or output.strip())[-300:]
            result["failures"] = (
                [] if late.is_set() else [f"no report ({type(problem).__name__}): exit {process.returncode}"]
            )
            result["said"] = said
        for place, word in {
            work: "WORK",
            **{key: f"{user.upper()}_KEY" for user, key in server.keys.items()},
        }.items():
            result = json.loads(json.dumps(result).replace(place, word))
    return result


class Results:
    """results.json: written after each run, so that what was interrupted goes on."""

    def __init__(self, path, head):
        self.path, self.lock = path, threading.Lock()
        self.data = {"runs": []}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.data = json.load(file)
        # A sample that was begun is kept, whatever faults were added since.
        self.data = {
            **head,
            **{key: self.data[key] for key in ("sample", "totals", "runs") if key in self.data},
        }
        self.done = {(run["tool"], run["kind"], run["id"], run["seed"]) for run in self.data["runs"]}

    def add(self, run):
        with self.lock:
            self.data["runs"].append(run)
            self.data["runs"].sort(key=lambda run: (run["kind"], run["id"], run["seed"], run["tool"]))
            with open(self.path + ".part", "w", encoding="utf-8") as file:
                json.dump(self.data, file, indent=1)
                file.write("\n")
            os.replace(self.path + ".part", self.path)
            print(
                f"{run['seconds']:7.1f} s {run['requests']:5} requests {len(run['failures']):3} failures  "
                f"{run['tool']}  {run['id']}  seed {run['seed']}",
                flush=True,
            )


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("places")
    options.add_argument("results")
    options.add_argument(
        "--step", type=int, default=300, help="take about every so manieth fault of a family"
    )
    options.add_argument(
        "--parallel",
        type=int,
        default=os.cpu_count(),
        help="servers at a time; the plain one always runs alone",
    )
    options.add_argument("--timeout", type=float, default=300, help="seconds for one tool on one server")
    options.add_argument("--seeds", type=int, default=5, help="seeds from 1 for the tools that take one")
    given = options.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open(given.places, encoding="utf-8") as file:
        places = json.load(file)
    taken, totals = sample(places, given.step)
    head = {
        "timeout": given.timeout,
        "seeds": given.seeds,
        "step": given.step,
        "sample": taken,
        "totals": totals,
    }
    results = Results(given.results, {**head, "versions": tools.versions(places), "cores": os.cpu_count()})
    every = [tool(places) for tool in tools.ALL]
    seeds = range(1, given.seeds + 1)

    def run(tool, kind, subject, seed):
        if (tool.name, kind, subject, seed) not in results.done:
            results.add(measure(tool, places, kind, subject, seed, given.timeout))

    # Plain first and alone, as many times for each tool: these are the figures of time.
    for seed in seeds:
        for tool in every:
            run(tool, PLAIN, PLAIN, seed)
    # What is wanted most comes first: all tools once, then the further seeds.
    work = [
        (tool, one["kind"], one["id"], 1)
        for slow in (False, True)
        for one in results.data["sample"]
        for tool in every
        if tool.slow == slow
    ]
    work += [
        (tool, one["kind"], one["id"], seed)
        for seed in seeds[1:]
        for one in results.data["sample"]
        for tool in every
        if tool.seeded
    ]
    with concurrent.futures.ThreadPoolExecutor(given.parallel) as pool:
        futures = [pool.submit(run, *one) for one in work]
        try:
            for future in futures:
                future.result()
        except BaseException as problem:
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(problem, KeyboardInterrupt):
                print("interrupted: what is under way still ends, and is kept", flush=True)
            raise


if __name__ == "__main__":
    main()
