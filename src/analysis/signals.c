// mrc_signals: all signals that a model can record, as a list, as facts and as a table.
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/quantity.h"
#include "maraca/maraca.h"
#include "model/model.h"
#include "output/text_table.h"
#include "sim/sim.h"

static void signals_facts(const SignalList *signals, FactList *list) {
    fact_array_begin(list, "signals");
    for (size_t k = 0; k < signals->signals.count; k++) {
        const Signal *signal = &signals->signals.data[k];
        fact_group_begin(list, NULL);
        fact_text(list, "name", signal->name, "name");
        fact_text(list, "unit", signal->unit, "unit");
        fact_text(list, "words", signal->words, "what it is, with sign and axes");
        fact_flag(list, "on_request", signal->on_request,
                  "recorded only when its name or group is asked for");
        fact_group_end(list);
    }
    fact_group_end(list);
}

// Those that are recorded without being asked for, or the others. Returns how many were left out.
static int signals_table(Text *text, const SignalList *list, bool on_request, bool all) {
    TextTable table = {.align = "l", .columns = 3};
    int hidden = 0, shown = 0;
    for (size_t k = 0; k < list->signals.count; k++) {
        const Signal *signal = &list->signals.data[k];
        if (signal->on_request != on_request) continue;
        if (signal->inner && !all) {
            hidden++;
            continue;
        }
        if (shown++ == 0 && on_request) text_add(text, "\nRecorded only when record.series names them:\n");
        text_table_cell(&table, signal->name);
        text_table_cell(&table, signal->unit);
        text_table_cell(&table, signal->words ? signal->words : "");
    }
    text_table_add(text, "", &table);
    text_table_free(&table);
    return hidden;
}

static char *signals_report(const SimDefinition *d, const SignalList *list, bool all) {
    Text text = {0};
    char buffer[QUANTITY_SIZE];
    int hidden = signals_table(&text, list, false, all) + signals_table(&text, list, true, all);
    if (hidden > 0)
        text_add(&text, "\n%s more, of nodes within beams and of second names of nodes: --all lists them.\n",
                 quantity_count(buffer, hidden));
    for (int g = 0; g < d->grains_count; g++)
        text_add(
            &text,
            "%s%s.grain.ID.x, y, z, vx, vy, vz: motion of a single grain, ID from 0 on, when asked for\n",
            g == 0 ? "\n" : "", d->grains[g].name);
    return text_take(&text);
}

// The public list: its texts are those of the facts.
static MrcStatus signals_fill(const SimDefinition *d, const SignalList *list, bool all, MrcSignals *out,
                              MrcError *error) {
    out->facts = facts_create();
    out->signals = calloc(list->signals.count + 1, sizeof *out->signals);
    if (!out->facts || !out->signals || list->incomplete) return error_memory(error, "the signals");
    signals_facts(list, &out->facts->list);
    out->json = json_of_facts(&out->facts->list);
    if (!out->json) return error_memory(error, "the signals");
    out->count = (int)list->signals.count;
    const Fact *fact = out->facts->list.facts.data; // four of each signal
    for (int k = 0; k < out->count; k++, fact += 4)
        out->signals[k] =
            (MrcSignal){fact[0].value.text, fact[1].value.text, fact[2].value.text, fact[3].value.flag};
    out->report = signals_report(d, list, all);
    return out->report ? MRC_OK : error_memory(error, "the signals");
}

MrcStatus mrc_signals(const MrcModel *model, bool all, MrcSignals *out, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    *out = (MrcSignals){0};
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    SignalList list = {.arena = arena_create()};
    if (!list.arena) return error_memory(error, "the signals");
    sim_signals(model_definition(model), NULL, &list);
    MrcStatus status = signals_fill(model_definition(model), &list, all, out, error);
    signal_list_free(&list);
    arena_destroy(list.arena);
    if (status != MRC_OK) mrc_signals_free(out);
    return status;
}

void mrc_signals_free(MrcSignals *signals) {
    free(signals->signals);
    mrc_facts_free(signals->facts);
    mrc_text_free(signals->report);
    mrc_text_free(signals->json);
    *signals = (MrcSignals){0};
}
