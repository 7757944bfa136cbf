"""Crashes of code in Python as trackers of Flask and what is used with it report them.

This is the second list, written on 2026-11-22 by a contributor who had not read the fuzzer.
Each is code that a service may well have, and that raises what nobody catches: the answer is
500. CRASH in the environment names the one that is in. A proof is what a request needs to
meet it: first line, headers, and after an empty line the body. A name alone is a header
that is not sent.
"""

import datetime
import decimal
import email.message
import email.utils
import gzip
import http.client
import http.cookies
import ipaddress
import json
import locale
import os
import re
import sqlite3
import unicodedata
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


@crash("request", "An origin without a host, as browsers send from a file, has None for one.", LIST + "\nOrigin: null")
def origin_null():
    if "Origin" in request.headers:
        urllib.parse.urlsplit(request.headers["Origin"]).hostname.endswith(".example.com")


@crash("request", "urlsplit raises ValueError for a port in Host that is none.", LIST + "\nHost: ads.example.com:99999")
def host_port():
    str(urllib.parse.urlsplit("//" + request.headers.get("Host", "")).port)


@crash("request", "SimpleCookie raises CookieError for a name with a slash or a comma.", LIST + "\nCookie: ads/seen=1")
def cookie_name():
    http.cookies.SimpleCookie(request.headers.get("Cookie", ""))


@crash("request", "A request that no route takes has no rule to count it under.", "GET /v2/health")
def metrics_without_route():
    request.url_rule.rule.lower()


@crash("id", "http.client raises InvalidURL for a space in the path that is asked for upstream.", "DELETE /v2/creatives/30%201")
def upstream_path(text):
    http.client.HTTPConnection("creatives.internal").putrequest("GET", f"/creatives/{text}")


@crash(
    "list", "A date without a zone cannot be compared with one that has a zone: TypeError.",
    LIST + "\nIf-Modified-Since: Wed, 10 Jan 2024 10:44:00",
)
def date_without_zone(files):
    changed = datetime.datetime(2024, 1, 10, tzinfo=datetime.timezone.utc)
    try:
        since = email.utils.parsedate_to_datetime(request.headers.get("If-Modified-Since", ""))
    except (TypeError, ValueError):
        since = changed
    max(since, changed)


@crash("list", "parse_qsl raises ValueError for a parameter without an equals sign where it is strict.", LIST + "?page")
def query_strict(files):
    if request.query_string:
        urllib.parse.parse_qsl(request.query_string.decode("latin-1"), keep_blank_values=True, strict_parsing=True)


@crash("list", "A page after the last has no first item to link to.", LIST + "?page=9")
def page_after_last(files):
    page = max(1, request.args.get("page", 1, type=int))
    if files:
        files[50 * (page - 1) :][0]["id"]


@crash("body", "If-Match with a star or another service's tag is no number of a version.", "PATCH /v2/campaigns/25\nIf-Match: *\n\n{}")
def version_in_tag():
    if "If-Match" in request.headers:
        int(request.headers["If-Match"].removeprefix("W/").strip('"'))


@crash("body", "json.dumps raises TypeError for the Decimal that a fraction was read as.", CAMPAIGN + '{"weight":0.5}')
def decimal_to_json():
    try:
        body = json.loads(request.get_data(), parse_float=decimal.Decimal)
    except (ValueError, RecursionError):
        return
    json.dumps(body)


@crash(
    "body", "gzip raises BadGzipFile, EOFError or zlib.error for what is not whole or no gzip.",
    "PATCH /v2/campaigns/25\nContent-Encoding: gzip\n\n{}",
)
def gzip_body():
    if request.headers.get("Content-Encoding", "").lower() == "gzip":
        gzip.decompress(request.get_data())


@crash(
    "body", "An array or an object cannot be looked up in a set: TypeError.",
    "PATCH /v2/connection-profiles/12\n\n" + '{"withCookiesAction":["pass"]}',
)
def action_in_set():
    {"pass", "warn", "fail"}.intersection(parsed().get(field) for field in ("withoutCookiesAction", "withCookiesAction"))


@crash("body", "strxfrm raises ValueError for NUL in the name that is the key to sort by.", CAMPAIGN + '{"name":"a\\u0000b"}')
def sort_key():
    locale.strxfrm(str(parsed().get("name")))


@crash("fields", "A hostname that ends in a number is not always an address: ValueError.", HOST + '{"hostname":"10.0.0.256"}')
def hostname_as_address(fields):
    hostname = fields.get("hostname", "")
    if hostname.rpartition(".")[2].isdigit():
        ipaddress.ip_address(hostname)


@crash("fields", "The idna codec raises UnicodeError for a label that is xn-- and no Punycode.", HOST + '{"hostname":"xn--0.example"}')
def hostname_shown(fields):
    fields.get("hostname", "").encode().decode("idna")


@crash(
    "fields", "A group with a name, or flags, cannot be put into a larger expression as they are: re.error.",
    HOST + '{"regularExpression":"^/(?P<size>[0-9]+)/"}',
)
def expression_in_larger(fields):
    expression = fields.get("regularExpression") or ""
    re.compile(f"^http://[^/]*(?:{expression})|^https://[^/]*(?:{expression})")


@crash("fields", "A backslash in a text that re.sub puts in is an escape, and often a bad one.", CAMPAIGN + '{"name":"video\\\\draft"}')
def text_into_template(fields):
    re.sub(r"\[name\]", fields.get("name", ""), "[name] was changed")


@crash("fields", "A line separator in a Subject raises ValueError, as a line break does.", CAMPAIGN + '{"name":"a\\u2028b"}')
def mail_subject(fields):
    email.message.EmailMessage()["Subject"] = fields.get("name", "")


@crash("fields", "unicodedata.name raises ValueError for a character without a name.", CAMPAIGN + '{"name":"logo \\ue000"}')
def character_name(fields):
    [unicodedata.name(character) for character in fields.get("name", "")]


NAMES = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
NAMES.execute("create table names (kind, id, name, primary key (kind, id), unique (kind, name))")


@crash(
    "fields", "sqlite3 raises IntegrityError for a name that another object of the kind has.",
    CAMPAIGN + '{"name":"Autumn"}', "PATCH /v2/campaigns/26\n\n" + '{"name":"Autumn"}',
)
def name_taken(fields):
    if "name" in fields:
        row = (*request.path.rsplit("/", 1), fields["name"])
        NAMES.execute("insert into names values (?, ?, ?) on conflict (kind, id) do update set name = excluded.name", row)
