"""Crashes of code in Python as trackers of Flask and what is used with it report them.

This is the third list, written on 2026-11-23 by a contributor who had not read the fuzzer.
Each is code that a service may well have, and that raises what nobody catches: the answer is
500. CRASH in the environment names the one that is in. A proof is what a request needs to
meet it: first line, headers, and after an empty line the body. A name alone is a header
that is not sent.
"""

import base64
import datetime
import json
import os
import pathlib
import re
import sqlite3
import urllib.parse
import uuid
import xml.etree.ElementTree
import xml.sax.saxutils

import itsdangerous
from flask import request

CRASHES = []
CHOSEN = os.environ.get("CRASH", "")
HOST = "PATCH /v2/connection-profiles/12/rules/34/hosts/56\n\n"
CAMPAIGN = "PATCH /v2/campaigns/25\n\n"
LIST = "GET /v2/creatives/200/media-files"
DATABASE = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
DATABASE.executescript("create table refused (key primary key); create table names (name)")


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


@crash("request", "Credentials of Basic are not always Base64, nor always two with a colon.", LIST + "\nAuthorization: Basic abc")
def basic_credentials():
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "basic":
        user, password = base64.b64decode(credentials).decode().split(":", 1)


@crash("request", "uuid.UUID raises ValueError for an X-Request-ID that a client made up in another form.", LIST + "\nX-Request-ID: 7")
def request_id():
    if "X-Request-ID" in request.headers:
        uuid.UUID(request.headers["X-Request-ID"])


@crash("request", "float raises ValueError for a weight in Accept-Encoding that is no number.", LIST + "\nAccept-Encoding: gzip;q=high")
def accept_encoding_weight():
    for coding in request.headers.get("Accept-Encoding", "").split(","):
        float(coding.partition(";q=")[2] or 1)


@crash("request", "int raises ValueError for a max-age that is quoted, a fraction or empty.", LIST + "\nCache-Control: max-age=1.5")
def cache_control_age():
    for age in re.findall("max-age=([^,]*)", request.headers.get("Cache-Control", "")):
        int(age)


@crash("request", "itsdangerous raises BadSignature for a session that another service signed.", LIST + "\nCookie: session=abc")
def session_signature():
    if "session" in request.cookies:
        itsdangerous.URLSafeSerializer("secret").loads(request.cookies["session"])


@crash(
    "refused", "sqlite3 raises IntegrityError for a refused key that the table has from the request before.",
    LIST + "\nX-API-Key: wrong", LIST + "\nX-API-Key: wrong",
)
def refused_key_again():
    if "X-API-Key" in request.headers:
        DATABASE.execute("insert into refused values (?)", [request.headers["X-API-Key"]])


@crash("id", "A path with NUL in it is a ValueError, where only OSError is caught.", "DELETE /v2/creatives/301%00")
def id_as_path(text):
    try:
        os.stat(f"/srv/objects/{text}")
    except OSError:
        pass


@crash("id", "The time in a large id is after the year 9999: ValueError.", "DELETE /v2/creatives/9999999999999999999999")
def id_with_time(text):
    if text.isascii() and text.isdigit():
        datetime.datetime.fromtimestamp((int(text) >> 22) / 1000, datetime.timezone.utc)


@crash("list", "int raises ValueError for a page that is no number.", LIST + "?page=last")
def page_not_number(files):
    int(request.args.get("page", 1))


@crash("list", "An offset of more than 64 bits is an OverflowError of sqlite3.", LIST + "?page=1000000000000000000")
def page_as_offset(files):
    page = request.args.get("page", 1, type=int)
    DATABASE.execute("select name from names limit 50 offset ?", [50 * (page - 1)])


@crash("list", "Where it is strict, parse_qs raises UnicodeDecodeError for escapes that are not UTF-8.", LIST + "?page=%E9")
def query_not_utf8(files):
    urllib.parse.parse_qs(request.query_string.decode("latin-1"), errors="strict")


@crash("body", "Without a Content-Type, that of the request is None.", "PATCH /v2/campaigns/25\nContent-Type\n\n{}")
def content_type_missing():
    request.content_type.startswith("application/json")


@crash("body", "json reads NaN and what is beyond a float, and is told not to write them: ValueError.", CAMPAIGN + '{"weight":1e999}')
def nan_to_json():
    json.dumps(parsed(), allow_nan=False)


@crash("body", "Members as keyword arguments: TypeError for one that the function does not have.", CAMPAIGN + '{"title":"Autumn"}')
def unknown_argument():
    def change(name=None, withoutCookiesAction=None, withCookiesAction=None, hostname=None, regularExpression=None):
        pass

    change(**parsed())


@crash("body", "XML has no control characters, escaped or not: ParseError.", CAMPAIGN + '{"name":"a\\u0001b"}')
def name_in_xml():
    xml.etree.ElementTree.fromstring(f"<AdTitle>{xml.sax.saxutils.escape(str(parsed().get('name')))}</AdTitle>")


@crash(
    "body", "What has a colon is not always a host and a port: ValueError for an address of IPv6 or a URL.",
    HOST + '{"hostname":"http://cdn.example.com"}',
)
def hostname_with_port():
    hostname = str(parsed().get("hostname"))
    if ":" in hostname:
        host, port = hostname.split(":")
        int(port)


@crash("fields", "A quote ends the text in SQL that is put together by hand: OperationalError.", CAMPAIGN + '{"name":"O\'Neill"}')
def name_in_sql(fields):
    DATABASE.execute(f"select count(*) from names where name = '{fields.get('name', '')}'")


@crash("fields", "relative_to raises ValueError for a name that leads out of the folder.", CAMPAIGN + '{"name":"../Autumn"}')
def name_as_file(fields):
    pathlib.Path(os.path.abspath(os.path.join("/srv/reports", fields.get("name", "")))).relative_to("/srv/reports")


@crash("fields", "Some letters are two in the other case, and maketrans wants texts of one length.", CAMPAIGN + '{"name":"Stra\\u00dfe"}')
def name_in_both_cases(fields):
    str.maketrans(fields.get("name", "").lower(), fields.get("name", "").upper())


@crash(
    "fields", "To match bytes an expression has to be bytes, and these have no escape u and no flag u: re.error or ValueError.",
    HOST + '{"regularExpression":"^/caf\\\\u00e9/"}',
)
def expression_of_bytes(fields):
    re.compile((fields.get("regularExpression") or "").encode())
