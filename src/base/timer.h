// Clocks for reporting. Nothing in a result may depend on them.
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

double timer_wall(void); // monotonic wall clock [s]
double timer_cpu(void);  // CPU time of the whole process [s]

#endif
