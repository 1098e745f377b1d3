import NIOSSL
import PinValidator
import NIOCore
import NIOPosix
