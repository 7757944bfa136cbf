"""Puts the figures of results.json into comparison.md, between its markers.

table.py RESULTS DOCUMENT
"""

import collections
import json
import re
import statistics
import sys

TITLES = {"adconform --budget 28": "adconform, 28 requests"}


class Results:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.data = json.load(file)
        self.runs = collections.defaultdict(list)
        for run in self.data["runs"]:
            self.runs[run["tool"], run["kind"], run["id"]].append(run)
        self.tools = list(dict.fromkeys(run["tool"] for run in self.data["runs"] if run["kind"] == "plain"))
        self.tools.sort(key=lambda tool: (not tool.startswith("adconform"), tool))
        wanted = [(kind, id) for kind, id in map(tuple, self.data["sample"]) if id != "none"]
        # A sample that was broken off counts only where every tool had its turn.
        self.sample = [key for key in wanted if all((tool, *key) in self.runs for tool in self.tools)]
        self.left_out = len(wanted) - len(self.sample)

    def plain(self, tool):
        return self.runs[tool, "plain", "plain"]

    def alarms(self, tool):
        """What the tool reports of servers that are as they should be."""
        return {
            text for run in self.plain(tool) + self.runs[tool, "outside", "none"] for text in run["failures"]
        }

    def hits(self, tool, kind, ignore=None):
        """Ids for which the tool reports something that it does not report of the plain server."""
        known = self.alarms(tool)
        return [
            id
            for of_kind, id in self.sample
            if of_kind == kind
            and any(
                text not in known and not (ignore and text.startswith(ignore))
                for run in self.runs[tool, kind, id]
                for text in run["failures"]
            )
        ]

    def late(self, tool):
        return sum(
            run["timedOut"]
            for key, runs in self.runs.items()
            if key[0] == tool and key[1:] in self.sample
            for run in runs
        )

    def ids(self, kind):
        return [id for of_kind, id in self.sample if of_kind == kind]


# The check of schemathesis that takes for valid what the document does not forbid.
ACCEPTANCE = "Schema-valid request rejected"


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def overview(results):
    def least(tool, what):
        return min(run[what] for run in results.plain(tool))

    faults, variants, outside = (len(results.ids(kind)) for kind in ("fault", "variant", "outside"))
    lines = [
        row(
            [
                "",
                "requests",
                "time",
                "processor time",
                f"of {faults} faults found",
                f"of {variants} variants flagged",
                f"of {outside} crashes found",
                "false alarms",
                "timed out",
                "set-up lines",
            ]
        ),
        row(["---"] + ["--:"] * 9),
    ]
    for tool in results.tools:
        requests = round(statistics.median(run["requests"] for run in results.plain(tool)))
        rows = [(TITLES.get(tool, tool), None)]
        if tool == "schemathesis":
            rows.append(("schemathesis, open", ACCEPTANCE))
        for title, ignore in rows:
            lines.append(
                row(
                    [
                        title,
                        requests,
                        *(
                            f"{least(tool, what) / least('adconform', what):.3g}"
                            for what in ("seconds", "cpuSeconds")
                        ),
                        *(len(results.hits(tool, kind, ignore)) for kind in ("fault", "variant", "outside")),
                        len(results.alarms(tool)),
                        results.late(tool),
                        results.plain(tool)[0]["setupLines"],
                    ]
                )
            )
    return lines


def families(results):
    count = collections.Counter(id.split("/")[0] for id in results.ids("fault"))
    lines = [
        row(["family", "faults", *(TITLES.get(tool, tool) for tool in results.tools)]),
        row(["---"] + ["--:"] * (len(results.tools) + 1)),
    ]
    found = {
        tool: collections.Counter(id.split("/")[0] for id in results.hits(tool, "fault"))
        for tool in results.tools
    }
    return lines + [
        row([f"`{family}`", number, *(found[tool][family] for tool in results.tools)])
        for family, number in sorted(count.items())
    ]


def each(results, kind):
    """A line for each id, with a mark for each tool."""
    hits = {tool: set(results.hits(tool, kind)) for tool in results.tools}
    lines = [
        row(["id", *(TITLES.get(tool, tool) for tool in results.tools)]),
        row(["---"] + [":-:"] * len(results.tools)),
    ]
    return lines + [
        row([f"`{id}`", *("x" if id in hits[tool] else "" for tool in results.tools)])
        for id in results.ids(kind)
    ]


def conditions(results):
    data = results.data
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    seeds = f"seeds {data['seed']} to {data['seed'] + data['repeat'] - 1}"
    of = {kind: f"{len(results.ids(kind))} of {total} {kind}s" for kind, total in data["totals"].items()}
    lines = [
        f"- {data['cores']} cores, {data['go']}, Node.js {data['node'].lstrip('v')}, Python {data['python']}, "
        f"Java {data['java']}; {versions}",
        f"- seed {data['seed']}, on the plain reference {seeds}; "
        f"at most {data['timeout']:g} s for one tool on one server",
        f"- sample: step {data['step']}, {of['fault']}, {of['variant']}",
    ]
    if results.left_out:
        lines.append(f"- {results.left_out} more of the sample are left out: the run was broken off")
    return lines


def main():
    results = Results(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        document = file.read()
    parts = {
        "overview": overview(results),
        "conditions": conditions(results),
        "families": families(results),
        "faults": each(results, "fault"),
        "variants": each(results, "variant"),
        "outside": each(results, "outside"),
    }
    for name, lines in parts.items():
        document, number = re.subn(
            rf"(<!-- {name}, by table\.py -->\n).*?(<!-- end -->)",
            lambda match, lines=lines: match[1] + "\n".join(lines) + "\n" + match[2],
            document,
            flags=re.S,
        )
        if number != 1:
            raise SystemExit(
                f"table.py: {sys.argv[2]} has {number} places for <!-- {name}, by table.py --> and should have one"
            )
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(document)


if __name__ == "__main__":
    main()
