// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one thread beside the loop: waits for grace periods and grows pools, since both
 * block for tens of milliseconds. It shares nothing with the loop but the job word; while
 * a job grows pools, the loop leaves them alone.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/reconcile/internal.h"

struct worker {
	struct reconcile *r;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	enum work work;	 /* under the lock: what to do now */
	bool quit;	 /* under the lock */
	int error;	 /* under the lock: of the last work, written before done_fd */
	enum work doing; /* loop only: what was started and has not been collected */
	bool grace_over;
	int done_fd;
	sd_event_source *source;
};

static int do_work(struct dataplane *dp, enum work work)
{
	int r = 0;

	if (work == WORK_GRACE)
		return dataplane_grace(dp);
	if (pool_wants(dp->set_pool))
		r = pool_grow(dp->set_pool);
	if (!r && pool_wants(dp->exclude_pool))
		r = pool_grow(dp->exclude_pool);
	return r;
}

static void *worker_main(void *data)
{
	struct worker *w = data;

	pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		if (!w->work) {
			pthread_cond_wait(&w->wake, &w->lock);
			continue;
		}
		enum work work = w->work;
		pthread_mutex_unlock(&w->lock);
		int error = do_work(w->r->dp, work);
		pthread_mutex_lock(&w->lock);
		w->work = WORK_NONE;
		w->error = error;
		while (eventfd_write(w->done_fd, 1)) /* or the loop would wait for ever */
			usleep(1000);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void note_failure(struct worker *w, int error)
{
	const struct dataplane_sizes *sizes = &w->r->dp->sizes;
	bool grew = w->doing == WORK_GROW;
	struct fault fault;

	if (grew && error == -ENOSPC)
		fault_set(&fault, error,
			  "no room in the kernel maps, which hold %u exclude lists and %u lists of "
			  "members at a time, those that are being replaced among them: change "
			  "fewer at once, let groups share them, or raise `limit sets` and restart",
			  sizes->excludes, sizes->slots);
	else
		fault_set(&fault, error, "%s: %s%s",
			  grew ? "growing the kernel maps" : "waiting for running programs",
			  strerror(-error), grew ? "" : ": it is tried again by itself");
	note_fault(w->r, error, &fault);
	w->r->grow_failed = grew;
	w->r->transaction.begun = false; /* a grace period that failed is begun again */
}

static int on_done(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct worker *w = data;
	eventfd_t count;
	(void)source, (void)events;

	if (eventfd_read(fd, &count))
		return 0;
	pthread_mutex_lock(&w->lock);
	int error = w->error;
	pthread_mutex_unlock(&w->lock);
	bool waited = w->doing == WORK_GRACE;
	if (error)
		note_failure(w, error);
	w->grace_over |= waited && !error;
	w->doing = WORK_NONE;
	if (waited && error)
		reconcile_pause(w->r);
	else
		reconcile_step(w->r);
	return 0;
}

int worker_open(struct worker **out, struct reconcile *r)
{
	struct worker *w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->r = r;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	w->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int error = w->done_fd < 0 ? -errno : 0;
	if (!error)
		error = sd_event_add_io(r->event, &w->source, w->done_fd, EPOLLIN, on_done, w);
	if (!error)
		error = -pthread_create(&w->thread, NULL, worker_main, w);
	if (error) {
		sd_event_source_unref(w->source);
		if (w->done_fd >= 0)
			close(w->done_fd);
		free(w);
		return error;
	}
	*out = w;
	return 0;
}

void worker_close(struct worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	sd_event_source_unref(w->source);
	close(w->done_fd);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

int worker_start(struct worker *w, enum work work)
{
	if (w->doing)
		return -EBUSY;
	w->doing = work;
	pthread_mutex_lock(&w->lock);
	w->work = work;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	return 0;
}

bool worker_busy(const struct worker *w)
{
	return w->doing;
}

bool worker_growing(const struct worker *w)
{
	return w->doing == WORK_GROW;
}

bool worker_grace_over(struct worker *w)
{
	bool over = w->grace_over;
	w->grace_over = false;
	return over;
}
