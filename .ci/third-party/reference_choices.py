"""What the bundled reference chose where spec/openapi.yaml is open.

The document stays open, as the contract is. Schemathesis takes for valid what it
does not forbid, so it is told of the choices (spec/open.yaml says each), and all
of its checks can stay on.
"""

import re

import schemathesis

NO_CONTROL = r"[^\u0000-\u001f\u007f-\u009f]"
VISIBLE = r"[^\s\u0000-\u001f\u007f-\u009f]"
NAME = {"pattern": f"^{NO_CONTROL}*{VISIBLE}{NO_CONTROL}*$", "maxLength": 255}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    schemas = raw_schema["components"]["schemas"]
    for name in ("ConnectionProfileUpdate", "CampaignUpdate"):
        schemas[name]["properties"]["name"].update(NAME)
    host = schemas["ConnectionProfileRuleHostUpdate"]["properties"]
    host["regularExpression"]["nullable"] = True  # null unsets it


@schemathesis.hook
def map_case(context, case):
    """Makes DNS names and regular expressions of the texts that a valid request has.

    A schema could say neither without forbidding some that the reference takes,
    and those would then count as wrongly accepted.
    """
    if case.meta is None or not case.meta.generation.mode.is_positive or not isinstance(case.body, dict):
        return case
    hostname, regex = case.body.get("hostname"), case.body.get("regularExpression")
    if isinstance(hostname, str):
        case.body["hostname"] = (re.sub("[^a-zA-Z0-9]", "", hostname)[:40] or "cdn") + ".example.com"
    if isinstance(regex, str):
        case.body["regularExpression"] = re.sub(r"[\\()\[\]{}*+?|\u0000-\u001f\u007f-\u009f]", "", regex)
    return case
