"""Reads a target file (first argument), and writes users.json, the keys as Web
Fuzzing Commons auth, for schemathesis, and target.json, base URL, keys and ids,
for the generated clients.
"""

import json
import os
import sys

import yaml


def first_id(value):
    if isinstance(value, list):
        value = value[0]
    return value["id"] if isinstance(value, dict) else value


def key_of(source):
    if "env" in source:
        return os.environ[source["env"]]
    if "file" in source:
        path = os.path.join(os.path.dirname(sys.argv[1]), source["file"])
        with open(path, encoding="utf-8") as lines:
            return lines.read().strip()
    return source["value"]


with open(sys.argv[1], encoding="utf-8") as file:
    target = yaml.safe_load(file)
credentials = target["credentials"]
header = credentials.get("header", "X-API-Key")
keys = {user: key_of(credentials[user]) for user in ("owner", "stranger") if user in credentials}
users = [{"name": user, "fixedHeaders": [{"name": header, "value": key}]} for user, key in keys.items()]
with open("users.json", "w", encoding="utf-8") as file:
    json.dump({"auth": users}, file)
with open("target.json", "w", encoding="utf-8") as file:
    json.dump(
        {
            "baseURL": target["baseURL"],
            "header": header,
            "keys": keys,
            "ids": {name: first_id(value) for name, value in target["objects"].items()},
            "disposables": [first_id(value) for value in target["objects"].get("disposableCreatives", [])],
        },
        file,
    )
