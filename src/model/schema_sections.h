// The tables of all sections of the model file.
#ifndef MODEL_SCHEMA_SECTIONS_H
#define MODEL_SCHEMA_SECTIONS_H

#include "schema/schema.h"

extern const SchemaObject schema_root; // the whole file
extern const SchemaObject schema_input, schema_material, schema_pair, schema_port, schema_wall, schema_grains,
    schema_contact, schema_inlet, schema_outlet, schema_meter, schema_particles, schema_packing,
    schema_coupling, schema_container, schema_stop, schema_link;
extern const SchemaObject schema_mechanism;
extern const SchemaObject schema_simulate, schema_record, schema_periods, schema_frames, schema_checkpoint;

#endif
