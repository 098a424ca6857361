// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel lacks is found by trying, not by its version. A kernel before 5.14 loads our
 * programs without a word, and then aborts every frame that is to be broadcast.
 */
#include "daemon/dataplane/internal.h"

#include <errno.h>
#include <sys/utsname.h>

#define FRAME_BYTES 64

static int load_probe(int map)
{
	const struct bpf_insn program[] = {
	    {.code = BPF_LD | BPF_DW | BPF_IMM,
	     .dst_reg = 1,
	     .src_reg = BPF_PSEUDO_MAP_FD,
	     .imm = map},
	    {.code = 0}, /* the second half of the map's descriptor */
	    {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 0},
	    {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = BPF_F_BROADCAST | XDP_DROP},
	    {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map},
	    {.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "xmcast_probe", "GPL", program,
			     sizeof(program) / sizeof(program[0]), NULL);
}

/*
 * An empty devmap is enough: the verdict tells. What cannot be tried, for want of a privilege
 * say, is left to those who need it and know better what to say.
 */
int probe_kernel(struct fault *fault)
{
	char frame[FRAME_BYTES] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = sizeof(frame));
	struct utsname kernel;

	_cleanup_close_ int map =
	    bpf_map_create(BPF_MAP_TYPE_DEVMAP_HASH, "xmcast_probe", 4, 4, 1, NULL);
	_cleanup_close_ int program = map < 0 ? -1 : load_probe(map);
	if (program < 0 || bpf_prog_test_run_opts(program, &run) || run.retval == XDP_REDIRECT ||
	    uname(&kernel))
		return 0;
	return fault_set(fault, -EOPNOTSUPP,
			 "this kernel (%.64s) cannot copy a frame to many interfaces "
			 "(BPF_F_BROADCAST): xmcastd needs Linux 6.1 or later",
			 kernel.release);
}
