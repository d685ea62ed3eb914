// An imported FMU for co-simulation, 2.0 or 3.0 alike: unpacked, loaded, instantiated.
#ifndef FMI_IMPORT_H
#define FMI_IMPORT_H

#include "fmi/description.h"

typedef struct Import Import;

// Unpacks into a folder of its own, which goes away with it.
MrcStatus import_open(const char *path, const char *instance, Import **import, MrcError *error);
void import_close(Import *import);
const FmiDescription *import_description(const Import *import);

// Instantiated, with parameters and start values to be set; then initialised.
MrcStatus import_instantiate(Import *import, MrcError *error);
MrcStatus import_initialise(Import *import, double start, MrcError *error);

// Real variables; one that is an integer or a flag is converted.
MrcStatus import_set(Import *import, const FmiVariable *variable, double value, MrcError *error);
MrcStatus import_get(Import *import, const FmiVariable *variable, double *value, MrcError *error);
MrcStatus import_step(Import *import, double t, double h, MrcError *error);

// The state now, kept until the next one; and back to it, as often as wanted. Only if the description says `restores`.
MrcStatus import_save(Import *import, MrcError *error);
MrcStatus import_restore(Import *import, MrcError *error);
// The state now as malloc'ed bytes, and back. Only if the description says `serializes`.
MrcStatus import_pack(Import *import, unsigned char **bytes, size_t *count, MrcError *error);
MrcStatus import_unpack(Import *import, const unsigned char *bytes, size_t count, MrcError *error);

// By one known variable. Only if the description says `derivatives`.
MrcStatus import_derivative(Import *import, const uint32_t *unknowns, size_t count, uint32_t known,
                            double *sensitivity, MrcError *error);

#endif
