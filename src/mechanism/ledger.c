#include "mechanism/internal.h"

MechanismLedger mechanism_ledger(const Mechanism *m) {
    const StateHead *head = m->head;
    return (MechanismLedger){.dissipated = head->dissipated,
                             .work = head->work,
                             .port_work = head->port_work,
                             .impulse_work = head->impulse_work,
                             .start = head->start_energy};
}
