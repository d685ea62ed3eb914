#include "sim/links.h"

#include <stdio.h>
#include <string.h>

#include "coupling/scheme.h"

// ---- creation ------------------------------------------------------------------------------------
static bool link_is_guest(const Link *link) { return link->partner.motion || link->partner.step; }

static MrcStatus link_create(Link *link, const LinkDefinition *definition, const SimDefinition *d,
                             Arena *arena, MrcError *error) {
    LinkSetting setting = {.step = d->simulate.step, .tight = scheme_of(&d->coupling)->needs_restore};
    *link = (Link){.definition = definition};
    for (int p = 0; p < d->port_count; p++) {
        if (!d->ports[p].partner || strcmp(d->ports[p].partner, definition->name) != 0) continue;
        if (setting.port_count == LINK_PORTS_MAX)
            return error_set(error, MRC_MODEL, "partner '%s' moves more than %d ports", definition->name,
                             LINK_PORTS_MAX);
        setting.ports[setting.port_count++] = d->ports[p].name;
    }
    return link_type(definition)->create(link, &setting, arena, error);
}

MrcStatus links_create(Links *links, const SimDefinition *d, Arena *arena, Guest **guests, int *guest_count,
                       MrcError *error) {
    links->items = arena_alloc(arena, ((size_t)d->link_count + 1) * sizeof *links->items);
    if (!links->items) return error_memory(error, "the partners");
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->link_count && status == MRC_OK; k++) {
        Link *link = &links->items[links->count++];
        status = link_create(link, &d->links[k], d, arena, error);
        if (status == MRC_OK && link_is_guest(link))
            status = guest_create(&link->partner, arena, &guests[(*guest_count)++], error);
    }
    return status;
}

void links_destroy(Links *links) {
    for (int k = 0; k < links->count; k++)
        if (links->items[k].self) link_type(links->items[k].definition)->destroy(links->items[k].self);
}

// ---- signals and inputs --------------------------------------------------------------------------
static const double *links_find_value(void *user, const char *name) {
    const SignalList *list = user;
    for (size_t s = 0; s < list->signals.count; s++)
        if (strcmp(list->signals.data[s].name, name) == 0) return list->signals.data[s].value;
    return NULL;
}

MrcStatus links_connect(Links *links, const SignalList *signals, Inputs *inputs, MrcError *error) {
    LinkValues values = {links_find_value, (void *)signals, inputs};
    MrcStatus status = MRC_OK;
    for (int k = 0; k < links->count && status == MRC_OK; k++) {
        const LinkType *type = link_type(links->items[k].definition);
        void *self = links->items[k].self;
        if (type->connect) status = type->connect(self, &values, error);
        if (type->reads_signals && type->reads_signals(self)) links->read_signals = true;
    }
    return status;
}

// ---- the step ------------------------------------------------------------------------------------
MrcStatus links_before_step(const Links *links, double t, double h, Inputs *inputs, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < links->count && status == MRC_OK; k++) {
        const LinkType *type = link_type(links->items[k].definition);
        if (type->before) status = type->before(links->items[k].self, t, h, inputs, error);
    }
    return status;
}

MrcStatus links_after_step(const Links *links, double t, double h, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < links->count && status == MRC_OK; k++) {
        const LinkType *type = link_type(links->items[k].definition);
        if (type->after) status = type->after(links->items[k].self, t, h, error);
    }
    return status;
}

// ---- state ---------------------------------------------------------------------------------------
// Guests save their own.
void links_archive(const Links *links, Archive *archive) {
    for (int k = 0; k < links->count; k++) {
        const MrcPartner *partner = &links->items[k].partner;
        char name[32];
        if (link_is_guest(&links->items[k]) || !partner->pack) continue;
        snprintf(name, sizeof name, "link%d", k);
        archive_group_begin(archive, name);
        guest_archive_packed(partner, archive);
        archive_group_end(archive, name);
    }
}
