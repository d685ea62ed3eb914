// Linear spring-dashpot: the normal force between two touching bodies.
#ifndef GRAINS_LAW_LINEAR_H
#define GRAINS_LAW_LINEAR_H

// Damping ratio that gives the restitution coefficient e in (0, 1]; see law_linear.c.
double linear_damping_ratio(double restitution);

// The restitution coefficient of a damping ratio: its inverse.
double linear_restitution(double damping_ratio);

#endif
