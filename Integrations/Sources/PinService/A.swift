import AsyncHTTPClient
import ServiceLifecycle
import Metrics
import Configuration
import Logging
import PinReports
