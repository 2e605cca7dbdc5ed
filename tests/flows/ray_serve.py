"""Ray Serve as a test needs it: chat and pictures, two replicas each, on the loopback address.

    python3 ray_serve.py FOLDER

Prints the address of the proxy once all replicas answer, and ends with its standard input. Chat requests are answered
as a writer or judge of L4 would; pictures have colors that follow from the request. Before a replica answers, it
appends a line to FOLDER/log: the name of its deployment, its process id, and a digest of the request. Exit code 3: no
Ray Serve.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import sys
import zlib

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
try:
    import ray
    from ray import serve
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

SIDE = 64


def note(log, name, request):
    """A line of the log, in one write, so that lines of several processes do not mix."""
    digest = hashlib.sha256(request).hexdigest()
    with open(log, "ab", buffering=0) as file:
        file.write(f"{name} {os.getpid()} {digest}\n".encode())


def chunk(kind, data):
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def picture(request):
    """A PNG with stripes in two colors."""
    colors = hashlib.sha256(request).digest()[:6]
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0))
    rows = (b"\0" + colors * (SIDE // 2)) * SIDE
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@serve.deployment(num_replicas=2, ray_actor_options={"num_cpus": 0.1})
class Chat:
    def __init__(self, log):
        self.log = log

    async def __call__(self, request):
        body = await request.body()
        if not body:
            return "alive"
        model = json.loads(body)["model"]
        text = {"text": "Bread is baked at night."}
        if model == "judge":
            text = {"reason": "It is about something else.", "answer": "yes"}
        note(self.log, "chat", body)
        choice = {"message": {"role": "assistant", "content": json.dumps(text)}, "finish_reason": "stop"}
        return {"model": model, "choices": [choice]}


@serve.deployment(num_replicas=2, ray_actor_options={"num_cpus": 0.1})
class Pictures:
    def __init__(self, log):
        self.log = log

    async def __call__(self, request):
        body = await request.body()
        if not body:
            return "alive"
        data = base64.b64encode(picture(body)).decode()
        note(self.log, "pictures", body)
        return {"created": 1, "data": [{"b64_json": data}]}


def main():
    folder = os.path.abspath(sys.argv[1])
    log = os.path.join(folder, "log")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ray.init(
        address="local",
        _node_ip_address="127.0.0.1",
        include_dashboard=False,
        num_cpus=2,
        object_store_memory=100 << 20,
        log_to_driver=False,
        _temp_dir=os.path.join(folder, "ray"),
    )
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    for name, deployment in (("chat", Chat), ("pictures", Pictures)):
        serve.run(deployment.bind(log), name=name, route_prefix=f"/{name}")
    print(f"http://127.0.0.1:{port}", flush=True)
    sys.stdin.read()
    ray.shutdown()


main()
