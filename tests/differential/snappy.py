"""Decompresses Snappy's raw format."""


def decompress(data):
    data = bytes(data)
    size = shift = at = 0
    while True:
        byte = data[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(data[at:at + extra], "little")
                at += extra
            out += data[at:at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length = (tag >> 2 & 7) + 4
            offset = (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length = (tag >> 2) + 1
            offset = int.from_bytes(data[at:at + width], "little")
            at += width
        for _ in range(length):  # The copy may overlap what it writes.
            out.append(out[-offset])
    if len(out) != size:
        raise ValueError("Snappy: the size is wrong")
    return bytes(out)
