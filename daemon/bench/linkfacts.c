// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/linkfacts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/bench/environment.h"

const char *network_namespace(char out[static NAMESPACE_TEXT_MAX])
{
	ssize_t len = readlink("/proc/thread-self/ns/net", out, NAMESPACE_TEXT_MAX - 1);

	out[len > 0 ? len : 0] = 0;
	return out;
}

#define RX_PACKETS 2 /* columns of /proc/net/dev, from 1 */
#define TX_PACKETS 10
#define TX_DROPPED 12

static void read_counters(const char *name, struct link_facts *out)
{
	FILE *file = fopen("/proc/thread-self/net/dev", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':'), *begin = line + strspn(line, " "), *save = NULL;
		char *word;

		if (!colon || strlen(name) != (size_t)(colon - begin) ||
		    strncmp(begin, name, strlen(name)))
			continue;
		word = strtok_r(colon + 1, " \n", &save);
		for (int column = 1; word && column <= TX_DROPPED; column++) {
			if (column == RX_PACKETS)
				out->rx_packets = strtoull(word, NULL, 10);
			if (column == TX_PACKETS)
				out->tx_packets = strtoull(word, NULL, 10);
			if (column == TX_DROPPED)
				out->tx_dropped = strtoull(word, NULL, 10);
			word = strtok_r(NULL, " \n", &save);
		}
	}
	if (file)
		fclose(file);
}

/* One ioctl on a link: 0 or -1. */
static int ask(unsigned long number, const char *name, struct ifreq *request)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = -1;

	strncpy(request->ifr_name, name, sizeof(request->ifr_name) - 1);
	if (fd >= 0) {
		r = ioctl(fd, number, request);
		close(fd);
	}
	return r;
}

void link_facts(const char *name, struct link_facts *out)
{
	struct ifreq request = {0};

	memset(out, 0, sizeof(*out));
	if (ask(SIOCGIFFLAGS, name, &request))
		return;
	out->there = true;
	out->up = request.ifr_flags & IFF_UP;
	read_counters(name, out);
}

static int ask_ethtool(const char *name, void *command)
{
	struct ifreq request = {.ifr_data = command};

	return ask(SIOCETHTOOL, name, &request);
}

int link_set_gro(const char *name, bool on)
{
	struct ethtool_value value = {.cmd = ETHTOOL_SGRO, .data = on};

	return ask_ethtool(name, &value) ? -errno : 0;
}

void link_driver(const char *name, char *out, size_t size)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	snprintf(out, size, "%s", ask_ethtool(name, &info) ? "unknown" : info.driver);
}

/* Adds up what has such a name: virtio_net's are tx_queue_0_xdp_tx (6.1) or tx0_xdp_tx. */
static int sum_statistics(const struct ethtool_gstrings *names, const struct ethtool_stats *values,
			  const char *suffix, uint64_t *sum)
{
	int found = 0;

	*sum = 0;
	for (uint32_t i = 0; i < names->len; i++) {
		const char *name = (const char *)names->data + (size_t)i * ETH_GSTRING_LEN;
		size_t len = strnlen(name, ETH_GSTRING_LEN), end = strlen(suffix);

		/* not the device's own sum of them, tx_xdp_tx */
		if (strncmp(name, "tx", 2) ||
		    (!isdigit((unsigned char)name[2]) && strncmp(name + 2, "_queue_", 7)))
			continue;
		if (len < end || memcmp(name + len - end, suffix, end))
			continue;
		*sum += values->data[i];
		found++;
	}
	return found ? 0 : -ENOENT;
}

int link_xdp_transmitted(const char *name, uint64_t *frames)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;
	uint64_t dropped = 0;
	int r = -ENOMEM;

	if (ask_ethtool(name, &info) || strcmp(info.driver, "virtio_net"))
		return -ENOENT;
	names = calloc(1, sizeof(*names) + (size_t)info.n_stats * ETH_GSTRING_LEN);
	values = calloc(1, sizeof(*values) + info.n_stats * sizeof(values->data[0]));
	if (names && values) {
		*names = (struct ethtool_gstrings){
		    .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = info.n_stats};
		*values = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = info.n_stats};
		r = ask_ethtool(name, names) || ask_ethtool(name, values) ? -ENOENT : 0;
	}
	if (!r)
		r = sum_statistics(names, values, "_xdp_tx", frames);
	if (!r)
		r = sum_statistics(names, values, "_xdp_tx_drops", &dropped);
	if (!r)
		*frames -= dropped;
	free(names);
	free(values);
	return r;
}

/* The flags that change what a measurement means. */
static json_t *offloads(const char *name)
{
	static const struct {
		unsigned int command;
		const char *word;
	} flags[] = {{ETHTOOL_GRXCSUM, "rx"},
		     {ETHTOOL_GTXCSUM, "tx"},
		     {ETHTOOL_GSG, "sg"},
		     {ETHTOOL_GTSO, "tso"},
		     {ETHTOOL_GGRO, "gro"}};
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct ethtool_value value = {.cmd = flags[i].command};

		json_object_set_new(all, flags[i].word,
				    ask_ethtool(name, &value) ? json_null()
							      : json_boolean(value.data));
	}
	return all;
}

/* {IRQ: CPUs} of a device's message-signalled interrupts. */
static json_t *irq_affinity(const char *name)
{
	char path[128];
	json_t *all = json_object();
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/msi_irqs", name);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			json_object_set_new(
			    all, entry->d_name,
			    environment_line("/proc/irq/%s/smp_affinity_list", entry->d_name));
	if (dir)
		closedir(dir);
	return all;
}

json_t *link_description(const char *name)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	bool no_info = ask_ethtool(name, &info), no_channels = ask_ethtool(name, &channels);
	json_t *d = json_object();

	json_object_set_new(d, "driver", no_info ? json_null() : json_string(info.driver));
	json_object_set_new(d, "version", no_info ? json_null() : json_string(info.version));
	json_object_set_new(d, "firmware", no_info ? json_null() : json_string(info.fw_version));
	json_object_set_new(d, "bus", no_info ? json_null() : json_string(info.bus_info));
	json_object_set_new(d, "channels",
			    no_channels ? json_null()
					: json_pack("{s:i,s:i,s:i}", "rx", channels.rx_count, "tx",
						    channels.tx_count, "combined",
						    channels.combined_count));
	json_object_set_new(d, "offloads", offloads(name));
	json_object_set_new(d, "irq_affinity", irq_affinity(name));
	return d;
}
