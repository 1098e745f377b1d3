"""DER, by hand, so that certificates with any mistake can be written."""


def length(count):
    if count < 0x80:
        return bytes([count])
    body = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(body)]) + body


def value(tag, *parts):
    body = b"".join(parts)
    return bytes([tag]) + length(len(body)) + body


def sequence(*parts):
    return value(0x30, *parts)


def set_of(*parts):
    return value(0x31, *parts)


def integer(number):
    return value(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def boolean(flag):
    return value(0x01, b"\xff" if flag else b"\x00")


def octets(body):
    return value(0x04, body)


def bits(body, unused=0):
    return value(0x03, bytes([unused]), body)


def null():
    return value(0x05)


def oid(text):
    first, second, *rest = (int(part) for part in text.split("."))
    body = bytes([40 * first + second])
    for arc in rest:
        digits = [arc & 0x7F]
        while arc := arc >> 7:
            digits.append(0x80 | arc & 0x7F)
        body += bytes(reversed(digits))
    return value(0x06, body)


def text(string):
    return value(0x0C, string.encode())


def time(instant):
    """UTCTime until 2049, GeneralizedTime from then on (RFC 5280 section 4.1.2.5), of YYYY-MM-DDTHH:MM:SSZ."""
    digits = "".join(character for character in instant if character.isdigit())
    if int(digits[:4]) < 2050:
        return value(0x17, (digits[2:] + "Z").encode())
    return value(0x18, (digits + "Z").encode())


def name(common_name, mail=None):
    """A distinguished name: of its common name, of an e-mail address as well, or as bytes; empty for None."""
    if isinstance(common_name, bytes):
        return common_name
    parts = [] if common_name is None else [(oid("2.5.4.3"), text(common_name))]
    if mail is not None:
        parts.append((oid("1.2.840.113549.1.9.1"), value(0x16, mail.encode())))
    return sequence(*(set_of(sequence(*part)) for part in parts))
