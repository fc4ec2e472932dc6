"""
Reads requests to the Bot API as lines of JSON, {"method", "params"}, and prints what aiogram's models of it say against
each: a line "METHOD: what", nothing if all is well. Fields that the models do not know count as wrong.
"""

import json
import sys

import aiogram.methods
from pydantic import BaseModel, ValidationError

METHODS = {
    name.lower(): one
    for name, one in vars(aiogram.methods).items()
    if isinstance(one, type) and issubclass(one, BaseModel)
}
# Of forms, in which the rest is JSON.
TEXTS = ("text", "caption")


def read(params):
    return {name: parsed(name, value) for name, value in params.items()}


def parsed(name, value):
    if isinstance(value, str) and value[:1] in "[{" and name not in TEXTS:
        return json.loads(value)
    return value


def unknown(value, place):
    if isinstance(value, BaseModel):
        for name in value.model_extra or {}:
            yield f"{place}.{name} is not known"
        for name in type(value).model_fields:
            yield from unknown(getattr(value, name), f"{place}.{name}")
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from unknown(one, place)


def faults(method, params):
    model = METHODS.get(method.lower())
    if model is None:
        return [f"{method}: there is no such method"]
    try:
        return list(unknown(model.model_validate(read(params)), method))
    except ValidationError as error:
        # A file stands in another part of the form, and only its name is here.
        return [
            f"{method}: {'.'.join(map(str, one['loc']))}: {one['msg']}"
            for one in error.errors()
            if "InputFile" not in str(one)
        ]


for line in sys.stdin:
    request = json.loads(line)
    for fault in faults(request["method"], request["params"]):
        print(fault)
