import NIOHTTP1
import PinNIOSSL
