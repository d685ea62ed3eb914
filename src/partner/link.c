#include "partner/link.h"

#define LINK_ROW(name) &link_type_##name,
const LinkType *const link_types[] = {LINK_TYPES(LINK_ROW) NULL};
