/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon tells of its state: plain structs that the reconciler fills and the
 * control room turns into JSON. Pointers are valid until the next change of the model.
 */
#ifndef XM_MODEL_REPORT_H
#define XM_MODEL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/model/model.h"

struct egress_report {
	char interface[IF_NAMESIZE]; /* a name; or a pattern that matches nothing yet */
	bool ready;
	enum xm_reason reason;	     /* of level MEMBER, or XM_REASON_NONE when ready */
	char detail[FAULT_TEXT_MAX]; /* more words: "run: ip link set eth1 up"; "" none */
};

struct group_report {
	const struct group *group;
	const char
	    *state; /* "active", "pending" (ingress absent), "no-egress", "detached", "failed",
		     * "conflict" (another name of the ingress has the same group, which counts) */
	char detail[FAULT_TEXT_MAX]; /* why it is pending or failed; "" none */
	uint64_t frames, bytes, copies;
	const struct egress_report *egress;
	size_t egress_count;
};

/*
 * How a group is looked at before it is taken. PENDING: interfaces that it names may come later.
 * APPLIED: so, and another group of the same frames may be about to go.
 */
enum group_check { CHECK_PRESENT, CHECK_PENDING, CHECK_APPLIED };

struct interface_report {
	char interface[IF_NAMESIZE];
	int ifindex; /* 0: absent */
	char driver[32], kind[16];
	bool is_ingress, is_egress;
	const char *mode;	     /* "native", "generic", "none" */
	const char *wanted;	     /* "auto", "native", "generic", "detached" */
	const char *attach;	     /* "dispatcher", "single", "none" */
	char why_single[160];	     /* what libxdp said when it did without its dispatcher; "" */
	char forced[FAULT_TEXT_MAX]; /* why auto chose generic, or why attaching failed; "" nothing
					to say */
	uint32_t program_id;
	bool ready;	       /* ingress: attached and up; egress: can receive copies */
	enum xm_reason reason; /* XM_REASON_NONE when ready */
	unsigned int mtu;
	bool features_known;
	uint64_t features; /* bits of LINK_XDP_*: basic, redirect, ndo-xmit, rx-sg, ndo-xmit-sg */
	uint64_t received, transmitted, driver_dropped;
	uint64_t dropped[XM_REASONS_COUNTED];
};

struct stats_report {
	uint64_t received, matched, copies, transmitted;
	uint64_t unmatched[XM_PROTOCOLS];
	uint64_t dropped[XM_REASONS_COUNTED];
	int64_t unexplained; /* copies - transmitted - dropped of level COPY */
	/* interfaces that take no part now, by reason; [0] is XM_REASONS_COUNTED */
	unsigned int not_ready[XM_REASONS - XM_REASONS_COUNTED];
};

struct status_report {
	const char *version;
	uint64_t uptime_seconds;
	int pid;
	const char *enforce;
	bool pinned; /* false: no bpffs, a restart will lose traffic */
	char pin_dir[256];
	char config_file[256];
	bool config_there;				/* it was, when it was read */
	unsigned int config_more;			/* files of conf.d that were read */
	unsigned int groups, entries, sets, interfaces; /* in use */
	struct limits limits;
	uint64_t kernel_memory_bytes;	   /* memlock of our maps as the kernel tells it */
	bool settled;			   /* wanted == actual */
	char problem[FAULT_TEXT_MAX + 32]; /* what could not be done and is not; "" none */
};

/* One copy of a frame: where it went, or would go, or why not. */
struct copy_report {
	char interface[IF_NAMESIZE];
	const char *outcome;   /* "transmitted", "dropped", "not-ready", "unknown" */
	enum xm_reason reason; /* XM_REASON_NONE when transmitted or unknown */
	char detail[160];      /* more words; "" none */
};

/* What becomes of one frame: of one that came (trace), or of one that has not (explain). */
struct frame_report {
	uint64_t number; /* of a trace: 1, 2, ...; 0: none */
	char ingress[IF_NAMESIZE];
	const char *mode; /* "native", "generic", "none" */
	struct prefix address, source;
	bool has_source;
	uint32_t vlan, size;		  /* size: bytes of the frame without FCS */
	const char *verdict;		  /* "copied", "dropped", "passed" */
	enum xm_reason reason;		  /* dropped: of level FRAME */
	enum xm_protocol protocol;	  /* passed as; XM_PROTOCOLS: not known */
	char detail[FAULT_TEXT_MAX + 64]; /* why it was passed; "" nothing to say */
	bool has_group;
	struct group_key group; /* as the kernel's records name it */
	uint32_t entry, set, due;
	uint32_t
	    unforeseen; /* 1 << reason: what only its coming can tell of a frame to be copied */
	const struct copy_report *copies;
	size_t copy_count;
};

/* The question that is answered by a frame_report. */
struct frame_wish {
	char from[IF_NAMESIZE];
	struct prefix address, source; /* whole addresses; source.len 0: not given */
	uint32_t vlan, size;
};

/* Which frames to trace, and whom to tell. */
struct trace_wish {
	char from[IF_NAMESIZE]; /* "": every ingress */
	struct prefix address;	/* the destination lies in it; len 0: any */
	bool unmatched;		/* only multicast frames that no group matched */
	unsigned int count;	/* frames, 1.. */
	unsigned int seconds;	/* then it ends */
	void (*frame)(const struct frame_report *report, void *token);
	void (*done)(unsigned int frames, const char *why, void *token); /* once, at the end */
	void *token;
};

/* What doctor found: one line. */
enum finding_level { FINDING_OK, FINDING_WARNING, FINDING_PROBLEM };
struct finding {
	const char *check;	   /* "ready" */
	char subject[IF_NAMESIZE]; /* an interface; "" the daemon */
	enum finding_level level;
	char text[FAULT_TEXT_MAX + 64]; /* what and why; "" when ok */
	char remedy[640];		/* the command that mends it; "" none */
};
struct doctor_wish {
	const struct names *interfaces; /* only these; NULL or none: all */
	const char *config_file;
	int (*finding)(const struct finding *finding, void *token); /* non-zero ends it */
	void *token;
};

#endif
