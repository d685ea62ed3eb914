// Signals that ask a long command to stop: Ctrl-C, SIGTERM, and a terminal that was closed.
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

// From now on a first signal sets signals_stop, which the library polls. A second one, half a second later or
// more, ends the program at once. `told`: print on the terminal that the program is stopping.
void signals_catch(bool told);
// Until signals_catch there is nothing to keep: a signal ends the program at once, with a message.
void signals_end_at_once(const char *command, bool json);

extern volatile int signals_stop;

#endif
