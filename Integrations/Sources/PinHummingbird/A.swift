import Hummingbird
import HummingbirdTLS
import PinNIOSSL
