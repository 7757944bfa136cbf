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
import re
import signal
import subprocess
import tempfile
import threading
import time

import tools
from server import Server

PLAIN = "plain"  # in place of an id: the reference as it is


def sample(program, step):
    """Ids of seeded faults and of variants, by one rule that looks at nothing else.

    All ids are sorted and grouped by family, the first part of an id. Of a family
    of n faults ceil(n/step) are taken, spaced evenly; of n variants ceil(n/(step/12)).
    """
    lines = subprocess.run(
        [program, "selftest", "--list-faults"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    families = collections.defaultdict(list)
    totals = {"fault": 0, "variant": 0}
    for line in lines:
        fields = re.split(r"\s{2,}", line, maxsplit=2)
        if len(fields) < 3:
            continue
        kind = "variant" if fields[1] == "variant" else "fault"
        totals[kind] += 1
        families[kind, fields[0].split("/")[0]].append(fields[0])
    taken = []
    for (kind, _), ids in sorted(families.items()):
        ids.sort()
        number = math.ceil(len(ids) / (step if kind == "fault" else step / 12))
        taken += [(kind, ids[(2 * k + 1) * len(ids) // (2 * number)]) for k in range(number)]
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
            result["failures"] = sorted(tool.failures(folder, output))
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


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("places")
    options.add_argument("results")
    options.add_argument("--step", type=int, default=75, help="take about every so manieth fault of a family")
    options.add_argument(
        "--parallel",
        type=int,
        default=os.cpu_count(),
        help="servers at a time; the plain one always runs alone",
    )
    options.add_argument("--timeout", type=float, default=600, help="seconds for one tool on one server")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--repeat", type=int, default=3, help="runs on the plain reference, with as many seeds"
    )
    given = options.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open(given.places, encoding="utf-8") as file:
        places = json.load(file)
    program = places["adconform"]
    taken, totals = sample(program, given.step)
    outside = subprocess.run([places["outside"]], capture_output=True, text=True, check=True).stdout.split()
    taken += [("outside", id) for id in outside]
    # In an order that has to do with nothing, so that a run that is broken off is a sample too.
    taken.sort(key=lambda one: hashlib.sha256(one[1].encode()).digest())
    results = {"runs": []}
    if os.path.exists(given.results):
        with open(given.results, encoding="utf-8") as file:
            results = json.load(file)
    results.update(
        totals=totals, step=given.step, timeout=given.timeout, seed=given.seed, repeat=given.repeat
    )
    results.update(
        sample=taken,
        versions=tools.versions(places),
        cores=os.cpu_count(),
        go=places["go"],
        python=places["python"],
        node=places["node"],
        java=places["java"],
    )
    done = {(run["tool"], run["id"], run["seed"]) for run in results["runs"]}
    lock = threading.Lock()
    every = [tool(places) for tool in tools.ALL]

    def one(kind, subject, seed):
        for tool in every:
            if (tool.name, subject, seed) in done:
                continue
            run = measure(tool, places, kind, subject, seed, given.timeout)
            with lock:
                results["runs"].append(run)
                results["runs"].sort(key=lambda run: (run["kind"], run["id"], run["seed"], run["tool"]))
                with open(given.results + ".part", "w", encoding="utf-8") as file:
                    json.dump(results, file, indent=1)
                os.replace(given.results + ".part", given.results)
                print(
                    f"{run['seconds']:7.1f} s {run['requests']:5} requests  "
                    f"{len(run['failures']):3} failures  {run['tool']}  {subject}",
                    flush=True,
                )

    for seed in range(given.seed, given.seed + given.repeat):
        one(PLAIN, PLAIN, seed)
    with concurrent.futures.ThreadPoolExecutor(given.parallel) as pool:
        futures = [pool.submit(one, kind, subject, given.seed) for kind, subject in taken]
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
