"""python3 readers.py FILE: a line for each problem, nothing for none."""

import sys

from junitparser import Error, Failure, JUnitXml, Skipped, TestSuite


def junit(path):
    """The counts that a JUnit file claims are those of its test cases."""
    xml = JUnitXml.fromfile(path)
    suites = [xml] if isinstance(xml, TestSuite) else list(xml)
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in suites:
        cases = list(suite)
        count = {
            "tests": len(cases),
            "failures": sum(any(isinstance(r, Failure) for r in c.result) for c in cases),
            "errors": sum(any(isinstance(r, Error) for r in c.result) for c in cases),
            "skipped": sum(any(isinstance(r, Skipped) for r in c.result) for c in cases),
        }
        yield from differences(f"testsuite {suite.name}", suite, count)
        names = [(c.classname, c.name) for c in cases]
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield f"testsuite {suite.name}: {name} comes more than once"
        for key in totals:
            totals[key] += count[key]
    if not isinstance(xml, TestSuite):
        yield from differences("testsuites", xml, totals)


def differences(what, element, count):
    for key, value in count.items():
        if getattr(element, key) != value:
            yield f"{what}: {key} is {getattr(element, key)}, and there are {value}"


for problem in junit(sys.argv[1]):
    print(problem.replace("\n", " "))
