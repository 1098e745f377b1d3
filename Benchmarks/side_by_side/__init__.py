"""What Scripts/bench runs: Pintle beside floors and peers, in turn and in one run, on the same work."""
