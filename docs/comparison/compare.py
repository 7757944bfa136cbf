"""Runs every tool against the same servers, and writes results.json.

    compare.py PLACES RESULTS [--minutes N] [--most N] [--parallel N] [--timeout SECONDS] …

PLACES is a JSON file with the paths of what `run` installed and built. What RESULTS has
already is kept and not run again, so a run that is broken off goes on.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import tools
from server import Server

PLAIN = {"kind": "plain", "id": "plain"}  # the reference as it is

# As many of a kind as fit into the time that `run` names; of the crashes all.
SIZES = {"mutant": 16, "fault": 8, "variant": 6}


def in_no_order(subjects):
    """Sorted by a hash of the id: the first ones are a sample, whatever others there are."""
    return sorted(subjects, key=lambda one: hashlib.sha256(one["id"].encode()).digest())


def in_turn(subjects):
    """The kinds mixed evenly, so that of a run that is broken off each has its share."""
    kinds = collections.defaultdict(list)
    for one in subjects:
        kinds[one["kind"]].append(one)
    placed = [((k + 0.5) / len(of), kind, one) for kind, of in kinds.items() for k, one in enumerate(of)]
    return [one for _, _, one in sorted(placed, key=lambda place: place[:2])]


def sample(places, most):
    """The servers: seeded faults, variants, mutants and crashes; and how many there are of a kind.

    Each with what it does, a fault with its clause, a mutant with the number that the
    program takes.
    """
    taken, totals = [], {}
    listed = json.loads(said(places["adconform"], "selftest", "--list", "--json"))
    for kind in ("fault", "variant"):
        of = in_no_order(one for one in listed if one["kind"] == kind)
        totals[kind] = len(of)
        for one in of[: min(most, SIZES[kind])]:
            taken.append(
                {"kind": kind, "id": one["id"], "clause": one.get("clause", ""), "what": one["sentence"]}
            )
    drawn = json.loads(said(places["draw"], str(min(most, SIZES["mutant"])), places["mutants"]))
    totals["mutant"] = drawn["of"]
    for one in drawn["mutants"]:
        what = f"{one['before']} becomes {one['after']}"
        taken.append({"kind": "mutant", "id": one["id"], "number": one["number"], "what": what})
    crashes = [line.split("  ", 1) for line in said(places["outside"]).splitlines()]
    alone, *crashes = [{"kind": "outside", "id": crash, "what": what} for crash, what in crashes]
    totals["outside"] = len(crashes)
    # The proxy without a defect is first, because what is reported of it says what of the others counts.
    return [alone, *in_turn(taken + in_no_order(crashes)[:most])], totals


def said(*command):
    return subprocess.run(command, cwd=os.path.dirname(os.path.abspath(__file__)), stdout=subprocess.PIPE, text=True, check=True).stdout


def measure(tool, serve, one, seed, timeout, begun=lambda process: None):
    """One run of one tool against one fresh server, which `serve` starts in a folder."""
    result = {"tool": tool.name, "kind": one["kind"], "id": one["id"], "seed": seed}
    with tempfile.TemporaryDirectory(prefix="comparison-") as work:
        served, folder = os.path.join(work, "server"), os.path.join(work, "tool")
        os.mkdir(served)
        os.mkdir(folder)
        with serve(served) as server:
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
                begun(process)
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
    """results.json: written after each run, so that what was broken off goes on."""

    def __init__(self, path, head):
        self.path, self.lock = path, threading.Lock()
        self.data = {**head, "runs": []}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                begun = json.load(file)
            if any(begun.get(key) != head[key] for key in ("versions", "sample")):
                sys.exit(
                    f"comparison: {path} is of adconform {begun['versions']['adconform commit']}, of other tools "
                    "or of another sample: remove it to start anew"
                )
            self.data.update(date=begun["date"], runs=begun["runs"])
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
    options.add_argument("--minutes", type=float, default=48, help="no server is begun after that")
    options.add_argument("--most", type=int, default=1000, help="servers of a kind; default: the page's")
    options.add_argument(
        "--parallel",
        type=int,
        default=os.cpu_count() + 1,
        help="servers at a time; the plain one always runs alone",
    )
    options.add_argument("--timeout", type=float, default=120, help="seconds for one tool on one server")
    options.add_argument("--seeds", type=int, default=5, help="seeds from 1 for the tools that take one")
    options.add_argument("--tools", default="", help="those whose name the expression matches; default: all")
    given = options.parse_args()
    end = time.monotonic() + 60 * given.minutes
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open(given.places, encoding="utf-8") as file:
        places = json.load(file)
    every = [tool(places) for tool in tools.ALL if re.search(given.tools, tool.name)]
    seeds = range(1, given.seeds + 1)
    taken, totals = sample(places, given.most)
    results = Results(
        given.results,
        {
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "versions": tools.versions(places),
            "cores": os.cpu_count(),
            "timeout": given.timeout,
            "tools": {tool.name: list(seeds if tool.seeded else seeds[:1]) for tool in every},
            "sample": taken,
            "totals": totals,
        },
    )

    stopped = threading.Event()

    def run(tool, one, seed):
        if not stopped.is_set() and (tool.name, one["kind"], one["id"], seed) not in results.done:
            results.add(measure(tool, lambda folder: Server(places, folder, one), one, seed, given.timeout))

    # Plain first and alone, as many times for each tool: these are the figures of time.
    for seed in seeds:
        for tool in every:
            run(tool, PLAIN, seed)

    def run_all(one):
        if time.monotonic() < end:
            for tool in every:
                for seed in results.data["tools"][tool.name]:
                    run(tool, one, seed)

    with concurrent.futures.ThreadPoolExecutor(given.parallel) as pool:
        futures = [pool.submit(run_all, one) for one in taken]
        try:
            for future in futures:
                future.result()
        except BaseException as problem:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            if not isinstance(problem, KeyboardInterrupt):
                raise
            print("interrupted: what is under way still ends, and is kept", flush=True)
            sys.exit(130)


if __name__ == "__main__":
    main()
