"""Two people use Mellow: they sign up, follow, post with a picture, vote, and come back after a cut.

    python3 tour.py 127.0.0.1:8080
"""

import os
import sys

from mellow import Client, Refused

# One red pixel.
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415478da63d0eb0e070001fb01114adbc7450000000049454e44ae426082"
)
EVERYBODY = {"type": "public"}


def person(at, name):
    """Returns the client of somebody who has just signed up."""
    client = Client(*at)
    client.connect()
    client.sign_up(f"{name.lower()}-{os.urandom(4).hex()}@example.org", "a quiet long password", name)
    return client


def main(host, port):
    at = (host, int(port))
    ana, ben = person(at, "Ana"), person(at, "Ben")
    print("signed up: Ana and Ben")

    ben.write("follows.set", user_id=ana.me["id"], following=True)
    print("follows: Ben follows Ana")

    upload = ana.upload("dot.png", PICTURE)
    post = ana.write(
        "posts.create",
        text="A dot.",
        audience=EVERYBODY,
        pictures=[{"upload": upload, "alt": "One red pixel."}],
    )["post"]
    received = ben.wait_for("posts.created")["post"]
    assert received["id"] == post["id"] and received["pictures"][0]["alt"] == "One red pixel."
    assert ben.download(received["pictures"][0]["url"]).startswith(b"\xff\xd8"), "a JPEG"
    assert Client(*at).download(received["pictures"][0]["url"]) is None, "nobody else's"
    print("posted: Ben has Ana's post and its picture")

    ben.write("votes.set", post_id=post["id"], vote="positive")
    counted = ana.wait_for("votes.counted")
    assert (counted["post_id"], counted["positive_count"]) == (post["id"], 1)
    print("voted: Ana counts one positive vote")

    ben.cut()
    ana.write("posts.create", text="While you were away.", audience=EVERYBODY)
    hello = ben.connect()
    assert hello["login"] == "live", "the cookie is known"
    assert ben.resume(posts=[post["id"]]), "everything that was missed is replayed"
    missed = ben.wait_for("posts.created")["post"]
    # L4: the events of the write at the cursor come again. It is Ana's first post if Ben did not yet hear of his vote.
    if missed["id"] == post["id"]:
        missed = ben.wait_for("posts.created")["post"]
    assert missed["text"] == "While you were away."
    print("resumed: Ben has what he missed")

    # L4: a server that lost its history has another epoch, in which this cursor means nothing.
    ben.cut()
    ben.epoch = "of another server"
    ben.connect()
    assert not ben.resume(), "everything on screen is read again"
    newest = ben.ask("posts.feed")["posts"][0]
    assert newest["text"] == "While you were away."
    ben.cut()
    ana.write("comments.create", post_id=post["id"], text="Who was here?", audience=post["audience"])
    ben.connect()
    assert ben.resume(posts=[post["id"]]), "the new epoch and cursor are known"
    assert ben.wait_for("comments.created")["comment"]["text"] == "Who was here?"
    print("read again: Ben goes on from there")

    try:
        ben.write("posts.delete", post_id=post["id"])
    except Refused as no:
        assert no.code == "not_found", no
    else:
        raise AssertionError("Ben deleted Ana's post")
    print("done")


if __name__ == "__main__":
    main(*sys.argv[1].rsplit(":", 1))
