#include "partner/partner.h"

#include <string.h>

int partner_find_port(const PartnerPorts *ports, const char *name) {
    for (int p = 0; name && p < ports->count; p++)
        if (strcmp(ports->names[p], name) == 0) return p;
    return -1;
}

bool partner_name(PartnerNames *names, const char *port) { return !port || array_push(names, port); }

void *partner_find(const Partner *partners, int count, const PartnerType *type) {
    for (int k = 0; k < count; k++)
        if (partners[k].type == type) return partners[k].self;
    return NULL;
}
