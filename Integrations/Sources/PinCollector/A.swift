import Hummingbird
import GRDB
import CLibPQ
import PinReports
