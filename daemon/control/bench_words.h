/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the words of a benchmark would take, looked at before it is started. */
#ifndef XM_CONTROL_BENCH_WORDS_H
#define XM_CONTROL_BENCH_WORDS_H

#include "daemon/model/model.h"

/* Programs from files and real interfaces: what only root may have the daemon do. */
bool bench_word_needs_root(const char *word);

/*
 * -EBUSY with fault when an interface that the words name belongs to a group, which would lose
 * frames; words end with NULL.
 */
int bench_words_check(const struct model *model, const char *const *words, struct fault *fault);

#endif
