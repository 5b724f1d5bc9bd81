"""The code under test: replace it by yours."""

import json
import os
import urllib.request


def call(method, path):
    request = urllib.request.Request(os.environ["SVC_BASE_URL"] + "/api/v1" + path, method=method)
    request.add_header("Authorization", "Bearer " + os.environ["SVC_API_KEY"])
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.loads(response.read())


def enabled_blocklists():
    return [row["id"] for row in call("GET", "/blocklists")["blocklists"] if row["isEnabled"]]


def pause_all():
    for id in enabled_blocklists():
        call("POST", f"/blocklists/{id}/pause")
