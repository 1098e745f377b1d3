"""Asks N names on one port of loopback for their certificates, with sslyze's API, and prints the seconds it took."""

import sys
import time

from sslyze import ScanCommand, Scanner, ServerNetworkLocation, ServerScanRequest

port, names = int(sys.argv[1]), int(sys.argv[2])
began = time.perf_counter()
scanner = Scanner(per_server_concurrent_connections_limit=5, concurrent_server_scans_limit=20)
scanner.queue_scans([
    ServerScanRequest(
        server_location=ServerNetworkLocation(hostname=f"h{number:05d}.bench.test", port=port, ip_address="127.0.0.1"),
        scan_commands={ScanCommand.CERTIFICATE_INFO})
    for number in range(names)
])
answered = sum(1 for result in scanner.get_results() if result.scan_result and result.scan_result.certificate_info.result)
if answered != names:
    sys.exit(f"only {answered} of {names} answered")
print(f"{time.perf_counter() - began:.6f}")
