"""
Reads requests to the Web API of Slack as lines of JSON, {"method", "params"}, and prints what slack_sdk says against
each: a line "METHOD: what", nothing if all is well. Its models have the limits of Slack; what they do not take over is
not known to Slack, either. Beside them stand the limits that hold for a whole message.
"""

import inspect
import json
import logging
import sys

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View
from slack_sdk.web.client import WebClient

warnings = []


class Warnings(logging.Handler):
    def emit(self, record):
        warnings.append(record.getMessage())


logging.getLogger().addHandler(Warnings())

# Not in the signature, which takes anything: https://docs.slack.dev/reference/methods/files.completeUploadExternal
ALSO_KNOWN = {"files.completeUploadExternal": {"blocks"}}
# An answer to a slash command or a press goes to an address of its own.
RESPONSE = {"text", "blocks", "response_type", "replace_original", "delete_original", "thread_ts"}
STRUCTURES = ("blocks", "view")
MOST = {"blocks": 50, "view": 100, "text": 40_000, "markdown": 12_000, "all": 13_200}


def lost(given, taken, place):
    """What a model has not taken over."""
    if isinstance(given, dict) and isinstance(taken, dict):
        for name, value in given.items():
            if name in taken:
                yield from lost(value, taken[name], f"{place}.{name}")
            else:
                yield f"{place}.{name} is not known"
    elif isinstance(given, list) and isinstance(taken, list) and len(given) == len(taken):
        for one, other in zip(given, taken):
            yield from lost(one, other, place)
    elif given != taken:
        yield f"{place} is taken as something else"


def modelled(read, given, place):
    try:
        return list(lost(given, json.loads(json.dumps(read(given).to_dict())), place))
    except Exception as error:  # Each model has errors of its own.
        return [f"{place}: {error}"]


def length(value):
    if isinstance(value, str):
        return len(value)
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return sum(map(length, values))


def blocks_faults(blocks, most):
    if len(blocks) > most:
        yield f"{len(blocks)} blocks"
    if sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > MOST["markdown"]:
        yield "too much Markdown"
    if length(blocks) > MOST["all"]:
        yield "the blocks are too long together"
    for block in blocks:
        ids = [one["action_id"] for one in block.get("elements", []) if "action_id" in one]
        if len(ids) != len(set(ids)):
            yield "an action_id is twice in a block"
        yield from modelled(Block.parse, block, block["type"])


def arguments_faults(method, params):
    if method == "response_url":
        return [f"{name} is not known" for name in params if name not in RESPONSE]
    function = getattr(WebClient, method.replace(".", "_"), None)
    if function is None:
        return ["there is no such method"]
    known = {*inspect.signature(function).parameters, "limit", "cursor", *ALSO_KNOWN.get(method, ())}
    return [f"{name} is not known" for name in params if name not in known]


def faults(method, params):
    warnings.clear()
    given = {name: json.loads(v) if name in STRUCTURES and isinstance(v, str) else v for name, v in params.items()}
    yield from arguments_faults(method, given)
    if len(given.get("text") or "") > MOST["text"]:
        yield "the text is too long"
    yield from blocks_faults(given.get("blocks") or [], MOST["blocks"])
    if "view" in given:
        yield from modelled(lambda view: View(**view), given["view"], "view")
        yield from blocks_faults(given["view"]["blocks"], MOST["view"])
    yield from list(warnings)


for line in sys.stdin:
    request = json.loads(line)
    for fault in faults(request["method"], request["params"]):
        print(f"{request['method']}: {fault}")
