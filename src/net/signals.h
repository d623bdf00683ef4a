/*
** The signals of the process, on one loop. A process has one set of them, so one loop may watch
** them.
*/
#ifndef BIDE_NET_SIGNALS_H
#define BIDE_NET_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

typedef struct BideSignals BideSignals; /* of a loop */

/*
** Opens the signals of a loop; none is watched yet. From then on, writing to a closed peer, or to a
** file beyond the limit of file size, fails and does not end the process by SIGPIPE or SIGXFSZ.
** Returns NULL if memory is exhausted.
*/
BideSignals *bide_signals_open(uv_loop_t *uv);

/* Ends the watching, and closes its handle, which the loop then frees. */
void bide_signals_close(BideSignals *signals);

/*
** Watches a signal: `notice` runs on the loop, once for each signal; `by_kernel` is true if the
** kernel sent it and not a process: a terminal sends its signals to all of its foreground group.
** The handler itself marks the signal as pending, so that code that blocks the loop can see it;
** running `notice` clears the mark. A second signal while the first is pending ends the process at
** once, since the loop does not turn. A signal that is ignored before it is watched stays ignored,
** as under nohup. Returns false if the number is not that of a signal, another loop watches
** signals, or the system refuses.
*/
bool bide_signals_watch(BideSignals *signals, int number,
                        void (*notice)(void *context, int number, bool by_kernel), void *context);
bool bide_signals_is_pending(const BideSignals *signals);

/* Returns the last signal that is not handled yet, or 0. Async-signal-safe. */
int bide_signals_pending(void);

/* Returns the signal that was handled last, or 0. */
int bide_signals_handled(void);

/*
** Ends the watching of signals for good, as the last step before this process ends or becomes
** another program. Returns the signal that came until then, handled or not, or 0. A signal that
** comes later has the effect that it would have without bide: by default it ends this process, or
** the program that this process has become. If one came, the watched signals stay blocked.
*/
int bide_signals_release(void);

/*
** Sets a function that the handler of every watched signal calls, on the thread that receives the
** signal, to interrupt code that blocks the loop. `interrupt` must be async-signal-safe.
*/
void bide_signals_interrupt(void (*interrupt)(void));

/*
** Starts a detached thread. It blocks all signals, which are for the thread that runs Lua.
** `stack` is the size of its stack in bytes, 0 for the usual one. Returns false if that fails.
*/
bool bide_signals_start_thread(void *(*run)(void *context), void *context, size_t stack);

/* Runs `notice` for the pending signals, while the loop cannot turn. */
void bide_signals_handle(const BideSignals *signals);

#endif
