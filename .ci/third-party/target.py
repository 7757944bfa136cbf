"""Reads the target file (first argument) that `adconform serve` wrote, and writes
users.json, the keys as Web Fuzzing Commons auth, for schemathesis, and
target.json, base URL, keys and ids, for the generated clients.
"""

import json
import sys

import yaml


def first_id(value):
    if isinstance(value, list):
        value = value[0]
    return value["id"] if isinstance(value, dict) else value


with open(sys.argv[1], encoding="utf-8") as file:
    target = yaml.safe_load(file)
credentials = target["credentials"]
header = credentials.get("header", "X-API-Key")
keys = {user: credentials[user]["value"] for user in ("owner", "stranger")}
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
            "disposables": [first_id(value) for value in target["objects"]["disposableCreatives"]],
        },
        file,
    )
