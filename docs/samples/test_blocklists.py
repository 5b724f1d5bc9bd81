import urllib.error

import pytest
from blocklists import call, enabled_blocklists, pause_all


def test_pauses_every_list(svc):
    assert len(enabled_blocklists()) > 1
    pause_all()
    assert enabled_blocklists() == []


def test_the_next_test_has_a_world_of_its_own(svc):
    assert len(enabled_blocklists()) > 1


def test_a_failing_service(svc):
    svc.control("POST", "/faults", {"operations": ["listBlocklists"], "times": 1, "effect": {"kind": "status", "status": 503}})
    with pytest.raises(urllib.error.HTTPError, match="503"):
        pause_all()
    svc.control("POST", "/verify", {"operation": "pauseBlocklist", "times": 0})


def test_time_passes(svc):
    call("POST", "/blocklists/1/resync")
    svc.control("POST", "/clock", {"advance": "1m"})
    statuses = {row["id"]: row["status"] for row in call("GET", "/blocklists")["blocklists"]}
    assert statuses[1] == "SYNCED"
