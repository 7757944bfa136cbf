"""One class for each tool: how it is called, and what it reported.

`command` gives the command line and the environment variables for a server, and
puts what the tool reads into `folder`, where it then runs. `failures` gives what it
reported as a set of texts that are the same whenever the same thing fails. A tool
that is `seeded` is run with several seeds.
"""

import os
import subprocess

from .adconform import Adconform, AdconformBudget, AdconformDeep
from .base import read_json
from .dredd import Dredd
from .portman import Portman
from .schemathesis import Schemathesis, SchemathesisDefault
from .specmatic import Specmatic
from .stepci import StepCI

ALL = (
    Adconform,
    AdconformBudget,
    AdconformDeep,
    SchemathesisDefault,
    Schemathesis,
    Dredd,
    Portman,
    Specmatic,
    StepCI,
)


def versions(places):
    """The version of each tool, as it says itself or its package does."""
    said = {
        **{name: places[name] for name in ("adconform commit", "Go", "Node.js", "Python", "Java")},
        "schemathesis": subprocess.run(
            [os.path.join(places["venv"], "bin/schemathesis"), "--version"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()[-1],
    }
    for name in ("dredd", "@apideck/portman", "newman", "specmatic", "stepci"):
        said[name] = read_json(os.path.join(places["npm"], "node_modules", name), "package.json")["version"]
    return said
