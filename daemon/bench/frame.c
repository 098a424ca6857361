// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/frame.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <string.h>

#define UDP_PORT 5000

/* The Internet checksum (RFC 1071) of an IPv4 header. */
static uint16_t ip_checksum(const struct iphdr *ip)
{
	const unsigned char *p = (const void *)ip;
	uint32_t sum = 0;

	for (size_t i = 0; i < sizeof(*ip); i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t) ~(sum + (sum >> 16)));
}

/* Of a datagram whose payload is zeros, with the pseudo-header (RFC 768). */
static uint16_t udp_checksum(const struct iphdr *ip, const struct udphdr *udp)
{
	uint32_t source = ntohl(ip->saddr), group = ntohl(ip->daddr), sum;

	sum = (source >> 16) + (source & 0xffff) + (group >> 16) + (group & 0xffff) + IPPROTO_UDP +
	      ntohs(udp->len) + ntohs(udp->source) + ntohs(udp->dest) + ntohs(udp->len);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	return htons(sum ? (uint16_t)sum : 0xffff);
}

void frame_make(unsigned char *out, unsigned int len, uint32_t source, uint32_t group)
{
	struct ethhdr ethernet = {
	    .h_dest = {1, 0, 0x5e, group >> 16 & 0x7f, group >> 8 & 0xff, group & 0xff},
	    .h_source = {2, 0, 0, 0, 0, 1},
	    .h_proto = htons(ETH_P_IP)};
	uint16_t ip_len = (uint16_t)(len - sizeof(ethernet));
	struct iphdr ip = {.version = 4,
			   .ihl = 5,
			   .tot_len = htons(ip_len),
			   .ttl = 64,
			   .protocol = IPPROTO_UDP,
			   .saddr = htonl(source),
			   .daddr = htonl(group)};
	struct udphdr udp = {.source = htons(UDP_PORT),
			     .dest = htons(UDP_PORT),
			     .len = htons((uint16_t)(ip_len - sizeof(ip)))};

	ip.check = ip_checksum(&ip);
	udp.check = udp_checksum(&ip, &udp);
	memset(out, 0, len);
	memcpy(out, &ethernet, sizeof(ethernet));
	memcpy(out + sizeof(ethernet), &ip, sizeof(ip));
	memcpy(out + sizeof(ethernet) + sizeof(ip), &udp, sizeof(udp));
}
