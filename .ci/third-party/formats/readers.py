"""python3 readers.py FORMAT FILE: a line for each problem, nothing for none."""

import json
import sys

from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement
from junitparser import Error, Failure, JUnitXml, Skipped, TestSuite

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"


def attestation(path):
    """An in-toto Statement v1 whose predicate is a test result."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        statement = json_format.ParseDict(document, statement_pb2.Statement())
        Statement.copy_from_pb(statement).validate()
        result = json_format.ParseDict(document["predicate"], test_result_pb2.TestResult())
        for descriptor in result.configuration:
            ResourceDescriptor.copy_from_pb(descriptor).validate()
    except (json_format.ParseError, ValueError, TypeError, KeyError) as error:
        yield f"{type(error).__name__}: {error}"
        return
    if statement.predicate_type != TEST_RESULT:
        yield f"predicateType is {statement.predicate_type}, not {TEST_RESULT}"
    if result.result not in ("PASSED", "WARNED", "FAILED"):
        yield f"predicate.result is {result.result!r}, not PASSED, WARNED or FAILED"
    if not result.configuration:
        yield "predicate.configuration is missing"
    for subject in statement.subject:
        for algorithm, digest in subject.digest.items():
            if algorithm == "sha256" and (len(digest) != 64 or set(digest) - set("0123456789abcdef")):
                yield f"the sha256 of {subject.name} is no digest in lower-case hex"


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


for problem in {"attestation": attestation, "junit": junit}[sys.argv[1]](sys.argv[2]):
    print(problem.replace("\n", " "))
