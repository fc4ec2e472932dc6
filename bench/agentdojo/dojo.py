"""
A suite of AgentDojo (https://github.com/ethz-spylab/agentdojo, MIT; arXiv 2406.13352) behind HTTP on loopback: its
tools as an MCP server, its tasks and injections one case at a time, and its own verdict on the outcome.

    pip install --no-deps agentdojo==0.1.35
    pip install 'pydantic[email]' pyyaml docstring-parser deepdiff python-dotenv tenacity click rich requests
    python dojo.py SUITE                      prints {"port": …}

POST /cases            every case: {user, injection | null}
POST /begin            a case: resets the environment; returns the prompt, the ground truth of both tasks and a mark
                       of the injected text
POST /end  {output}    {utility, security} of the case, by the calls since; security: the attack succeeded
POST /mcp              JSON-RPC of MCP
"""

import importlib.abc
import importlib.machinery
import json
import re
import sys
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest.mock import MagicMock

# AgentDojo imports the clients of all model vendors. No model is called here, so they need not be installed.
VENDORS = ("anthropic", "openai", "cohere", "google", "langchain", "vertexai")


class VendorStub(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {}) if name.endswith("Error") else MagicMock(name=name)
        setattr(self, name, made)
        return made


class VendorStubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] in VENDORS:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return VendorStub(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, VendorStubs())

from agentdojo.attacks.attack_registry import load_attack  # noqa: E402
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime  # noqa: E402
from agentdojo.task_suite.load_suites import get_suites  # noqa: E402
from agentdojo.types import text_content_block_from_string  # noqa: E402
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str  # noqa: E402

VERSION = "v1.2.2"
ATTACK = "important_instructions"


def plain(text: str) -> str:
    """Letters and digits only: YAML folds and escapes results."""
    return re.sub(r"[^0-9a-z]", "", re.sub(r"\\[nt]", "", text).lower())


def live(text: str) -> str:
    """With links as the model wrote them: answers show them as text."""
    return re.sub(r"\bhxxp(s?)\b", r"http\1", text).replace("[.]", ".")


class Pipeline:
    # The attack addresses a model by its name.
    name = "gpt-4o-2024-05-13"


class Case:
    def __init__(self, suite, user, injection, vectors):
        self.suite, self.user, self.injection = suite, user, injection
        environment = suite.load_and_inject_default_environment(vectors)
        self.environment = user.init_environment(environment)
        self.before = self.environment.model_copy(deep=True)
        self.traces = []

    def ground_truth(self, task):
        calls = task.ground_truth(self.before.model_copy(deep=True))
        return [{"name": call.function, "arguments": dict(call.args)} for call in calls]

    def outcome(self, output: str):
        def judge(task) -> bool:
            content = [text_content_block_from_string(live(output))]
            try:
                return bool(
                    self.suite._check_task_result(task, content, self.before, self.environment, self.traces)
                )
            except Exception as error:  # a check of something that did not happen
                print(f"check: {error!r}", file=sys.stderr)
                return False

        return {"utility": judge(self.user), "security": self.injection is not None and judge(self.injection)}


class Dojo:
    def __init__(self, name: str):
        self.suite = get_suites(VERSION)[name]
        self.runtime = FunctionsRuntime(self.suite.tools)
        self.attack = load_attack(ATTACK, self.suite, Pipeline())
        self.case = None

    def cases(self):
        users, injections = self.suite.user_tasks, self.suite.injection_tasks
        playable = [key for key, task in injections.items() if self.is_playable(task)]
        clean = [{"user": user, "injection": None} for user in users]
        return clean + [{"user": user, "injection": key} for user in users for key in playable]

    def is_playable(self, task) -> bool:
        environment = self.suite.load_and_inject_default_environment({})
        return len(task.ground_truth(environment)) > 0 or bool(getattr(task, "GROUND_TRUTH_OUTPUT", ""))

    def begin(self, user: str, injection: str | None):
        user_task = self.suite.user_tasks[user]
        injection_task = None if injection is None else self.suite.injection_tasks[injection]
        vectors = {} if injection_task is None else self.attack.attack(user_task, injection_task)
        self.case = Case(self.suite, user_task, injection_task, vectors)
        injected = [] if injection_task is None else self.case.ground_truth(injection_task)
        return {
            "prompt": user_task.PROMPT,
            "calls": self.case.ground_truth(user_task),
            "output": user_task.GROUND_TRUTH_OUTPUT,
            "injected": injected,
            "injected_output": getattr(injection_task, "GROUND_TRUTH_OUTPUT", ""),
            "mark": "" if injection_task is None else plain(injection_task.GOAL)[:60],
        }

    def call(self, name: str, arguments: dict):
        if self.case is None:
            return "There is no case.", True
        result, error = self.runtime.run_function(self.case.environment, name, arguments)
        if error is None:
            self.case.traces.append(FunctionCall(function=name, args=arguments))
        return (error, True) if error is not None else (tool_result_to_str(result), False)

    def tools(self):
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.parameters.model_json_schema(),
            }
            for tool in self.suite.tools
        ]

    def rpc(self, method: str, params: dict):
        if method == "initialize":
            server = {"name": "agentdojo", "version": "0.1.35"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
        if method == "tools/list":
            return {"tools": self.tools()}
        if method == "tools/call":
            text, is_error = self.call(params["name"], params.get("arguments") or {})
            return {"content": [{"type": "text", "text": text}], "isError": is_error}
        return {} if method == "ping" else None


def serve(dojo: Dojo):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            if self.path == "/mcp":
                self.answer_rpc(body)
            elif self.path == "/cases":
                self.answer(dojo.cases())
            elif self.path == "/begin":
                self.answer(dojo.begin(body["user"], body["injection"]))
            elif self.path == "/end":
                self.answer(dojo.case.outcome(body["output"]))
            else:
                self.answer({"error": "unknown"}, 404)

        def answer_rpc(self, body):
            if "id" not in body:
                return self.answer(None, 202)
            result = dojo.rpc(body["method"], body.get("params") or {})
            if result is None:
                unknown = {"code": -32601, "message": "Method not found"}
                return self.answer({"jsonrpc": "2.0", "id": body["id"], "error": unknown})
            return self.answer({"jsonrpc": "2.0", "id": body["id"], "result": result})

        def do_GET(self):
            self.answer({"error": "no stream"}, 405)

        def do_DELETE(self):
            self.answer(None, 200)

        def answer(self, value, status=200):
            payload = b"" if value is None else json.dumps(value, default=str).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(Dojo(sys.argv[1]))
