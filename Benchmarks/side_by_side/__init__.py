"""The measurements of Scripts/bench: Pintle, floors and peers, in turn and in one run, with the same work."""
