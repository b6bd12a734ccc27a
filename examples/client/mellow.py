"""A small client of Mellow, written from docs/protocol.md alone. It needs only Python's standard library.

Ids in comments name rules of that page.
"""

import base64
import http.client
import os
import socket
import struct
import time

from msgpack import pack, unpack


def new_key():
    """Returns a key for one change (section 3). A repeated request has the same key."""
    return os.urandom(16)


class Refused(Exception):
    """The server refused a request."""

    def __init__(self, op, err):
        super().__init__(f"{op}: {err['code']}: {err['message']}")
        self.code, self.field, self.retry_ms = err["code"], err["field"], err["retry_ms"]


class Lost(Exception):
    """The connection ended."""

    def __init__(self, code=1006):
        super().__init__(f"the connection ended with {code}")
        self.code = code


class Client:
    """One user, on one socket at a time."""

    def __init__(self, host, port):
        self.at = (host, port)
        self.host = f"{host}:{port}"
        self.origin = f"http://{self.host}"
        self.cookie = None
        self.me = None
        self.epoch = None
        self.next_epoch = None
        self.cursor = 0
        self.events = []

    # ---- the socket ----------------------------------------------------------------------

    def connect(self):
        """Opens a socket and returns the `hello` that the server sends first."""
        self.socket = socket.create_connection(self.at, timeout=30)
        lines = [
            "GET /ws HTTP/1.1",
            f"Host: {self.host}",
            f"Origin: {self.origin}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Protocol: mellow.1",
        ]
        if self.cookie:
            lines.append(f"Cookie: {self.cookie}")
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.input = self.socket.makefile("rb")
        status = self.input.readline().decode().strip()
        while self.input.readline() not in (b"\r\n", b""):
            pass
        if " 101 " not in f"{status} ":
            raise ConnectionError(f"the handshake was answered: {status}")
        self.last_id = 0
        self.counted = 0
        hello = self._read()
        self.me = hello["me"]
        self.next_epoch = hello["epoch"]
        if self.epoch is None:
            self.epoch, self.cursor = hello["epoch"], hello["seq"]
        return hello

    def cut(self):
        """Cuts the connection without a close frame, as a closed laptop does."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.input.close()
        self.socket.close()

    def _send_frame(self, opcode, payload):
        length = len(payload)
        if length < 126:
            head = struct.pack(">BB", 0x80 | opcode, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack(">BBQ", 0x80 | opcode, 0x80 | 127, length)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        try:
            self.socket.sendall(head + mask + masked)
        except OSError:
            raise Lost from None

    def _take(self, count):
        data = self.input.read(count)
        if len(data) < count:
            raise Lost
        return data

    def _read(self):
        """Returns the next message. Answers pings, and raises `Lost` at the server's close frame."""
        while True:
            try:
                first, length = self._take(2)
                if length == 126:
                    (length,) = struct.unpack(">H", self._take(2))
                elif length == 127:
                    (length,) = struct.unpack(">Q", self._take(8))
                payload = self._take(length)
            except OSError:
                raise Lost from None
            opcode = first & 0x0F
            if opcode == 0x2:
                return unpack(payload)
            if opcode == 0x8:
                raise Lost(struct.unpack(">H", payload[:2])[0] if payload else 1005)
            if opcode == 0x9:
                self._send_frame(0xA, payload)

    # ---- requests and events -------------------------------------------------------------

    def send(self, op, **fields):
        """Sends a request and returns its id."""
        self.last_id += 1
        self._send_frame(0x2, pack({"id": self.last_id, "op": op, **fields}))
        return self.last_id

    def answer(self, id, op, holds_cursor=False):
        """Returns the reply to a request. Events that come before it are kept in `events`."""
        while True:
            message = self._read()
            if message.get("re") == id:
                if "err" in message:
                    raise Refused(op, message["err"])
                return message["ok"]
            self._note(message, holds_cursor)

    def ask(self, op, **fields):
        """Sends a request and returns its reply."""
        return self.answer(self.send(op, **fields), op)

    def write(self, op, **fields):
        """Makes a change, and sends it again until there is a reply. The key stays the same, so it happens once."""
        key = new_key()
        while True:
            try:
                return self.ask(op, key=key, **fields)
            except Refused as no:
                if no.retry_ms is None:
                    raise
                time.sleep(no.retry_ms / 1000)
            except Lost:
                # An app with a screen would read it again if `resume` returned false.
                if self.connect()["me"]:
                    self.resume()

    def wait_for(self, ev):
        """Returns the next event of this kind, and drops the events before it."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["ev"] == ev:
                    return event
            self._note(self._read(), False)

    def _note(self, message, holds_cursor):
        ev = message.get("ev")
        if ev == "beat":
            # L2: the server sent more events than this client received, so some are lost.
            if message["sent"] != self.counted:
                self.cut()
                raise Lost
        elif ev is not None:
            self.counted += 1
            self.events.append(message)
        # L4: the cursor does not move until the reply to `live.resume`.
        if ev is not None and not holds_cursor:
            self.cursor = max(self.cursor, message["seq"])

    def resume(self, posts=(), profiles=()):
        """Catches up on a new socket. Returns false if everything on screen has to be read again (L4)."""
        id = self.send("live.resume", epoch=self.epoch, seq=self.cursor, posts=posts, profiles=profiles)
        ok = self.answer(id, "live.resume", holds_cursor=True)
        # The new cursor belongs to the epoch that this socket's `hello` named.
        self.epoch, self.cursor = self.next_epoch, ok["seq"]
        return not ok["resync"]

    # ---- what people do ------------------------------------------------------------------

    def sign_up(self, email, password, name):
        """Makes an account, exchanges the ticket for the cookie of its login, and keeps the cookie."""
        ok = self.write("auth.sign_up", email=email, password=password, name=name)
        self.me = ok["me"]
        answer = self._http("POST", "/session", ok["ticket"])
        if answer.status != 204:
            raise ConnectionError(f"the ticket was not taken: {answer.status}")
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]

    def upload(self, name, picture, index=0):
        """Uploads a picture, and returns the id of the upload, which a post names (section 8)."""
        upload = os.urandom(16)
        begun = self.ask(
            "uploads.begin",
            upload=upload,
            name=name,
            size_bytes=len(picture),
            content_type="image/png",
            index=index,
        )
        held, sent, waiting = begun["offset"], begun["offset"], []
        while held < len(picture):
            # U2: at most `window` chunks are unanswered at a time.
            while sent < len(picture) and len(waiting) < begun["window"]:
                chunk = picture[sent : sent + begun["chunk_bytes"]]
                waiting.append(self.send("uploads.chunk", upload=upload, offset=sent, bytes=chunk))
                sent += len(chunk)
            held = self.answer(waiting.pop(0), "uploads.chunk")["offset"]
        while waiting:
            self.answer(waiting.pop(0), "uploads.chunk")
        self.ask("uploads.commit", upload=upload)
        return upload

    def download(self, path):
        """Returns the bytes of a picture, or None if this user may not see it (M3)."""
        answer = self._http("GET", path)
        return answer.body if answer.status == 200 else None

    def _http(self, method, path, body=None):
        headers = {"Host": self.host, "Origin": self.origin}
        if self.cookie:
            headers["Cookie"] = self.cookie
        connection = http.client.HTTPConnection(*self.at, timeout=30)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.body = answer.read()
        connection.close()
        return answer
