#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""checksums.py FILE COUNT: the UDP datagrams of a capture (see capture.c) all have a right
checksum by RFC 768 and RFC 8200: the one's complement sum over pseudo-header, header and data
is all ones; 0, "none", is allowed in IPv4 only."""
import struct
import sys


def ones_sum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def wrong(frame):
    kind = struct.unpack("!H", frame[12:14])[0]
    packet = frame[14:]
    if kind == 0x0800:
        length = struct.unpack("!H", packet[2:4])[0]
        udp = packet[(packet[0] & 15) * 4:length]
        pseudo = packet[12:20] + struct.pack("!HH", 17, len(udp))
    elif kind == 0x86DD:
        length = struct.unpack("!H", packet[4:6])[0]
        udp = packet[40:40 + length]
        pseudo = packet[8:40] + struct.pack("!II", len(udp), 17)
    else:
        return f"type {kind:#x}"
    check = struct.unpack("!H", udp[6:8])[0]
    if check == 0:
        return None if kind == 0x0800 else "no checksum in IPv6"
    total = ones_sum(pseudo + udp)
    return None if total == 0xFFFF else f"sum {total:#06x}, field {check:#06x}"


def main():
    data = open(sys.argv[1], "rb").read()
    count = bad = at = 0
    while at < len(data):
        (size,) = struct.unpack_from("=I", data, at)
        fault = wrong(data[at + 4:at + 4 + size])
        if fault:
            bad += 1
            print(f"frame {count}: {fault}")
        at += 4 + size
        count += 1
    print(f"{count} frames, {bad} wrong")
    return 0 if count == int(sys.argv[2]) and bad == 0 else 1


sys.exit(main())
