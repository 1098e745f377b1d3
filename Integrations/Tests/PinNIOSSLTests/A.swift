import Testing
import HummingbirdTesting
import MetricsTestKit
import PinGRPC
