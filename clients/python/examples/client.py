"""Gets a page from a server that the manifest allows; an impostor receives nothing of the request.

    python client.py https://api.example.com/ --keyset 1.keyset.json --manifest manifest.json --audience production
"""

import argparse
import pathlib
import sys

import pintle
import pintle.requests
import requests


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--keyset", type=pathlib.Path, required=True)
    parser.add_argument("--manifest", type=pathlib.Path, required=True)
    parser.add_argument("--audience", required=True)
    parser.add_argument("--anchors", type=pathlib.Path, help="in place of the system's")
    options = parser.parse_args()

    store = pintle.Store(
        keyset=options.keyset.read_bytes(), audience=options.audience, embedded=options.manifest.read_bytes(),
        anchors=[options.anchors.read_bytes()] if options.anchors else [])
    for code, message in store.problems():
        print(f"warning: {message} [{code}]", file=sys.stderr)

    session = requests.Session()
    session.trust_env = False  # REQUESTS_CA_BUNDLE would name other anchors than the store's, which is rejected
    session.mount("https://", pintle.requests.PinnedAdapter(store))
    try:
        print(session.get(options.url, headers={"Authorization": "Bearer secret"}, timeout=10).text)
        return 0
    except requests.RequestException as error:
        refused = pintle.refusal(error)
        if refused is None:
            raise
        print(f"refused: {refused.decision.message}", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
