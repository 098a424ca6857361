/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel module for tests: while it is loaded, the function `function` of the kernel does nothing
 * and returns `returns`. What a machine without memory or a driver of other hardware does cannot be
 * had otherwise on demand.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static char *function = "";
module_param(function, charp, 0);
static long returns;
module_param(returns, long, 0);

/* The stack is that of the function's first instruction: what runs here returns in its place. */
static noinline notrace void only_return(void)
{
	asm volatile("");
}

static int __kprobes return_at_once(struct kprobe *probe, struct pt_regs *regs)
{
	regs->ax = returns;
	regs->ip = (unsigned long)only_return;
	return 1; /* nothing is left to be done at the probe */
}

static struct kprobe probe = {.pre_handler = return_at_once};

static int __init begin(void)
{
	probe.symbol_name = function;
	return register_kprobe(&probe);
}

static void __exit end(void)
{
	unregister_kprobe(&probe);
}

module_init(begin);
module_exit(end);
MODULE_DESCRIPTION("Makes a function of the kernel fail");
MODULE_LICENSE("GPL");
