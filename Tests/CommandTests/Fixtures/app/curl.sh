#!/bin/sh
# The pin of the spare key, in curl's spelling.
exec curl --pinnedpubkey 'sha256//DLItuEm/g0FMzvTWGCAvV30iUjJR9RoVoeNHIRZFE/Q=' https://api.example.com/
