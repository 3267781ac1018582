"""A client of the Language Server Protocol for tests: messages to a program on its standard input, and what it answers.

    with Server(["pm-lsp"]) as server:
        server.initialize()
        server.open("file:///a.pmir", "pmir", text)
        server.diagnostics("file:///a.pmir")
        server.request("textDocument/hover", at("file:///a.pmir", 3, 5))
"""
import json
import os
import select
import subprocess
import time


class Ended(Exception):
    """The server has closed its output."""


class Late(Exception):
    """It did not answer in time."""


def at(uri, line, character, **more):
    """The parameters of a request about a place."""
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


class Server:
    def __init__(self, command, seconds=60):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seconds = seconds
        self.buffer = b""
        self.published = {}  # the last notification of each document
        self.last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    # --- messages ---

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        data = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))

    def take(self):
        """The message that the buffer begins with, or None."""
        head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return None
        length = int(head.split(b":")[1])
        if len(rest) < length:
            return None
        self.buffer = rest[length:]
        return json.loads(rest[:length])

    def receive(self):
        """The next message."""
        end = time.monotonic() + self.seconds
        while (message := self.take()) is None:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise Late()
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                raise Ended()
            self.buffer += data
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]
        return message

    def answer(self, number):
        """The answer to a request: its result, or its error."""
        while (message := self.receive()).get("id", "") != number or "method" in message:
            pass
        return message["error"] if "error" in message else message["result"]

    def request(self, method, params=None):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.answer(self.last_id)

    def notify(self, method, params=None):
        self.send({"method": method, "params": params})

    # --- documents ---

    def initialize(self):
        result = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})
        return result

    def open(self, uri, language, text, version=1):
        self.published.pop(uri, None)
        self.notify("textDocument/didOpen", {
            "textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, text, version):
        self.published.pop(uri, None)
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})

    def diagnostics(self, uri):
        """Those that are published next, if none were since the text was set."""
        while uri not in self.published:
            self.receive()
        return self.published[uri]["diagnostics"]

    def end(self):
        """The exit code after shutdown and exit."""
        self.request("shutdown")
        self.notify("exit")
        self.process.stdin.close()
        return self.process.wait(self.seconds)
