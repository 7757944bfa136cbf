"""The five operations in Flask, on waitress.

    server.py              serves on a free port, and prints its URL
    CRASH=ID server.py     with one of the crashes of crashes.py
    CRASH=watch server.py  without any; X-Reached says which of them a request meets
    server.py list         the crashes as JSON
"""

import datetime
import json
import os
import re
import sys

import crashes
import waitress
from flask import Flask, g, request
from werkzeug.exceptions import HTTPException

BORN = "2024-01-10T10:44:00Z"
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../world.json"), encoding="utf-8") as file:
    WORLD = json.load(file)


def creatives():
    for group in WORLD["creatives"]:
        for number in range(group["from"], group["to"] + 1):
            yield number, {
                "user": group["user"],
                "campaignId": 25,
                "name": f"creative {number}",
                "updatedAt": BORN,
                "parentId": group["parent"],
                "sourceType": group["type"],
                "sourceTypeLabel": group["type"].title(),
                "shareURL": f"https://ads.example.com/s/{number}",
                "livePreviewURL": f"https://ads.example.com/p/{number}",
                "previewAnimationURL": None,
                "width": 300,
                "height": 250,
                "userId": 41,
                "nbVariations": 0,
                "nbMediaFiles": None,
                "latestScanStatus": {"processingStatus": "finished"},
            }


def by_id(kind, **more):
    return {one["id"]: {"createdAt": BORN, **more, **one} for one in WORLD[kind]}


profiles = by_id("profiles", updatedAt=None)
rules = by_id("rules")
hosts = by_id("hosts", updatedAt=None)
campaigns = by_id("campaigns", updatedAt=BORN, shareURL="https://ads.example.com/c")
media = {number: {"id": number, "createdAt": BORN, **one} for number, one in creatives()}

app = Flask(__name__)
app.url_map.merge_slashes = False


class Refused(Exception):
    def __init__(self, status, message, field=None):
        super().__init__(message)
        self.status, self.field = status, field


def error(status, message, field=None):
    issue = {"type": f"error{status}", "message": message, "relatedField": field}
    return {"error": {"responseCode": status, "issues": [issue]}}, status


@app.errorhandler(Refused)
def refused(e):
    return error(e.status, str(e), e.field)


@app.errorhandler(HTTPException)
def of_the_framework(e):
    allow = {"Allow": ", ".join(e.valid_methods)} if getattr(e, "valid_methods", None) else {}
    return *error(e.code, e.description or e.name), allow


@app.before_request
def authenticate():
    g.reached = []
    crashes.meet("request", g.reached)
    g.user = WORLD["keys"].get(request.headers.get("X-API-Key"))
    if g.user is None:
        crashes.meet("refused", g.reached)
        raise Refused(401, "No such key")


@app.after_request
def tell(answer):
    if g.reached:
        answer.headers["X-Reached"] = ",".join(g.reached)
    return answer


def found(where, text):
    crashes.meet("id", g.reached, text)
    one = where.get(int(text)) if re.fullmatch("[1-9][0-9]{0,15}", text) else None
    if one is None:
        raise Refused(404, "Not found")
    return one


def own(where, text):
    one = found(where, text)
    if one["user"] != g.user:
        raise Refused(403, "Not yours")
    return one


def shown(one):
    return {name: value for name, value in one.items() if name not in ("user", "parent")}


def name(value):
    return 0 < len(value.strip()) <= 255


def action(value):
    return value in ("pass", "warn", "fail")


def hostname(value):
    return len(value) <= 253 and re.fullmatch(r"(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*", value)


def expression(value):
    try:
        return value is None or re.compile(value)
    except (re.error, ValueError, OverflowError, RecursionError):
        return False


def clean(value):
    return not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", value)


def update(one, fields):
    crashes.meet("body", g.reached)
    try:
        body = json.loads(request.get_data().decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused(422, "The body is not JSON") from None
    if not isinstance(body, dict):
        raise Refused(422, "The body is no object")
    taken = {}
    for field, good in fields.items():
        if field in body:
            value = body[field]
            if value is None and good is not expression or value is not None and (not isinstance(value, str) or not clean(value)):
                raise Refused(422, f"{field} is no text", field)
            if not good(value):
                raise Refused(422, f"{field} is wrong", field)
            taken[field] = value
    crashes.meet("fields", g.reached, taken)
    one.update(taken, updatedAt=datetime.datetime.now(datetime.timezone.utc).isoformat())
    return {"data": shown(one)}


@app.patch("/v2/connection-profiles/<profile>")
def update_profile(profile):
    fields = {"name": name, "withoutCookiesAction": action, "withCookiesAction": action}
    return update(own(profiles, profile), fields)


@app.patch("/v2/connection-profiles/<profile>/rules/<rule>/hosts/<host>")
def update_host(profile, rule, host):
    parent, child, one = found(profiles, profile), found(rules, rule), found(hosts, host)
    if child["parent"] != parent["id"] or one["parent"] != child["id"]:
        raise Refused(404, "Not found")
    own(profiles, profile)
    return update(one, {"hostname": hostname, "regularExpression": expression})


@app.patch("/v2/campaigns/<campaign>")
def update_campaign(campaign):
    return update(own(campaigns, campaign), {"name": name})


@app.delete("/v2/creatives/<creative>")
def delete_creative(creative):
    number = own(media, creative)["id"]
    for child in [child["id"] for child in list(media.values()) if child["parentId"] == number]:
        media.pop(child, None)
    media.pop(number, None)
    return "", 204


@app.get("/v2/creatives/<creative>/media-files")
def list_media_files(creative):
    one = own(media, creative)
    if one["sourceType"] != "vast-variation":
        raise Refused(422, "No VAST creative")
    files = [shown(file) for file in list(media.values()) if file["parentId"] == one["id"]]
    crashes.meet("list", g.reached, files)
    text = request.args.get("page", "1")
    page = int(text) if re.fullmatch("[1-9][0-9]{0,8}", text) else 1
    part = files[50 * (page - 1) : 50 * page]
    paging = {"count": len(part), "totalCount": len(files), "page": page, "totalPages": max(1, -(-len(files) // 50))}
    return {"meta": {"pagination": paging}, "data": part}


if __name__ == "__main__":
    if sys.argv[1:] == ["list"]:
        print(json.dumps(crashes.listed()))
        sys.exit()
    server = waitress.create_server(app, listen="127.0.0.1:0", threads=4, clear_untrusted_proxy_headers=False)
    print(f"http://127.0.0.1:{server.effective_port}", flush=True)
    server.run()
