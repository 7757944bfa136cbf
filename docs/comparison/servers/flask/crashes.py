"""Crashes of code in Python as trackers of Flask and what is used with it report them.

Written on 2026-11-22 by a contributor who had not read the fuzzer. Each is code that a
service may well have, and that raises what nobody catches: the answer is 500. CRASH in
the environment names the one that is in. A proof is what a request needs to meet it: first
line, headers, and after an empty line the body.
"""

import email.utils
import hmac
import ipaddress
import json
import logging
import os
import sqlite3
import urllib.parse

from flask import request

CRASHES = []
CHOSEN = os.environ.get("CRASH", "")
HOST = "PATCH /v2/connection-profiles/12/rules/34/hosts/56\n\n"
CAMPAIGN = "PATCH /v2/campaigns/25\n\n"
LIST = "GET /v2/creatives/200/media-files"


def crash(stage, what, *proof):
    def add(run):
        CRASHES.append({"id": run.__name__.replace("_", "-"), "what": what, "proof": proof, "stage": stage, "run": run})

    return add


def meet(stage, reached, *about):
    for one in CRASHES:
        if one["stage"] != stage:
            continue
        if one["id"] == CHOSEN:
            one["run"](*about)
        elif CHOSEN == "watch":
            try:
                one["run"](*about)
            except Exception:
                reached.append(one["id"])


def listed():
    return [{key: one[key] for key in ("id", "what", "proof")} for one in CRASHES]


def parsed():
    """The body where it is an object, else an empty one."""
    try:
        body = json.loads(request.get_data())
    except (ValueError, RecursionError):
        body = {}
    return body if isinstance(body, dict) else {}


@crash("request", "hmac.compare_digest raises TypeError for a key with a character outside ASCII.", LIST + "\nX-API-Key: caf\xe9")
def key_outside_ascii():
    hmac.compare_digest(request.headers.get("X-API-Key", ""), "k")


@crash("request", "ipaddress raises ValueError for X-Forwarded-For without an address.", LIST + "\nX-Forwarded-For: unknown")
def forwarded_no_address():
    for address in request.headers.get("X-Forwarded-For", "::1").split(","):
        ipaddress.ip_address(address.strip())


@crash(
    "request", "Unpacking an Authorization header into scheme and token raises ValueError for one word.",
    LIST + "\nAuthorization: Bearer",
)
def authorization_one_word():
    if "Authorization" in request.headers:
        scheme, token = request.headers["Authorization"].split(" ", 1)


@crash("request", "A cookie that is no UTF-8 once its escapes are resolved raises UnicodeDecodeError.", LIST + "\nCookie: seen=%ff")
def cookie_not_utf8():
    for value in request.cookies.values():
        urllib.parse.unquote(value, errors="strict")


@crash("request", "A traceparent without four parts raises ValueError where it is unpacked.", LIST + "\ntraceparent: 00-abc")
def trace_parts():
    if "traceparent" in request.headers:
        version, trace, parent, flags = request.headers["traceparent"].split("-")


@crash("request", "A weight in Accept that is no number raises ValueError in float().", LIST + "\nAccept: application/json;q=high")
def accept_weight():
    for part in request.headers.get("Accept", "").split(","):
        for parameter in part.split(";")[1:]:
            if parameter.strip().startswith("q="):
                float(parameter.strip()[2:])


@crash("id", "str.isdigit() holds for a superscript two, int() raises ValueError.", "GET /v2/creatives/%C2%B2/media-files")
def id_superscript(text):
    if text.isdigit():
        int(text[:4000])


@crash("id", "sqlite3 raises OverflowError for an id beyond 64 bits.", "DELETE /v2/creatives/9223372036854775808")
def id_beyond_int64(text):
    if text.isascii() and text.isdigit() and len(text) < 4000:
        sqlite3.connect(":memory:").execute("select ?", (int(text),)).close()


@crash("id", "os.stat raises ValueError for an id with NUL, where only OSError is awaited.", "DELETE /v2/creatives/301%00")
def id_nul(text):
    try:
        os.stat(os.path.join("/var/cache/ads", text))
    except (OSError, UnicodeError):
        pass


@crash(
    "body", "A charset that Python does not know raises LookupError in decode().",
    "PATCH /v2/campaigns/25\nContent-Type: application/json; charset=utf8mb5\n\n{}",
)
def charset_unknown():
    request.get_data().decode(request.mimetype_params.get("charset") or "utf-8", "replace")


@crash("body", "An integer of more than 4300 digits raises ValueError, not JSONDecodeError.", CAMPAIGN + '{"a":' + "9" * 5000 + "}")
def integer_4300():
    try:
        json.loads(request.get_data())
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        pass


@crash(
    "body", "A body that nests deeply raises RecursionError, which is no ValueError.",
    CAMPAIGN + '{"a":' + "[" * 2000 + "]" * 2000 + "}",
)
def nested_deeply():
    try:
        json.loads(request.get_data())
    except ValueError:
        pass


@crash("body", "A number beyond the range of a float is not JSON any more when it is written to a column.", CAMPAIGN + '{"a":1e999}')
def not_finite():
    json.dumps(parsed(), allow_nan=False)


@crash("body", "A text with half a surrogate pair raises UnicodeEncodeError where it is hashed.", CAMPAIGN + '{"name":"\\ud800"}')
def half_pair():
    for value in parsed().values():
        if isinstance(value, str):
            hash(value.encode())


@crash(
    "fields", "A percent sign in a text that becomes the format of a log line raises ValueError or TypeError.",
    CAMPAIGN + '{"name":"100 % of it"}',
)
def percent_in_text(fields):
    for value in fields.values():
        logging.LogRecord("ads", logging.INFO, "", 0, f"{value} by %s", ("owner",), None).getMessage()


@crash(
    "body", "The idna codec raises UnicodeError for an empty label, or one of more than 63.",
    HOST + '{"hostname":"' + "a" * 64 + '.example"}',
)
def hostname_label():
    name = parsed().get("hostname")
    if isinstance(name, str):
        name.encode("idna")


@crash("list", "A sort parameter that names no column raises KeyError.", LIST + "?sort=rank")
def sort_unknown():
    sorted([{"id": 1, "name": ""}], key=lambda one: one[request.args.get("sort", "id").lstrip("-")])


@crash("list", "A page size of zero raises ZeroDivisionError.", LIST + "?limit=0")
def page_size_zero():
    for parameter in ("limit", "per_page", "perPage", "pageSize", "page_size", "size"):
        try:
            size = int(request.args.get(parameter, 50))
        except ValueError:
            continue
        250 // size


@crash("list", "parsedate_to_datetime raises ValueError for a date that is none.", LIST + "\nIf-Modified-Since: yesterday")
def date_header():
    if "If-Modified-Since" in request.headers:
        email.utils.parsedate_to_datetime(request.headers["If-Modified-Since"])
