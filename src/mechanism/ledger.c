// The energy ledger: sums at the last commit. What they leave is numerical dissipation and integration
// error.
#include "mechanism/internal.h"

MechanismLedger mechanism_ledger(const Mechanism *m) {
    const StateHead *head = m->head;
    ElementEnergy now = mech_energy(m, m->one, head->t);
    MechanismLedger ledger = {.kinetic = now.kinetic,
                              .potential = now.potential,
                              .elastic = now.elastic,
                              .start = head->start_energy,
                              .dissipated = head->dissipated,
                              .work = head->work,
                              .flow = head->flow,
                              .port_work = head->port_work,
                              .impulse_work = head->impulse_work};
    double put_in = ledger.start + ledger.work + ledger.port_work + ledger.impulse_work;
    ledger.algorithmic = put_in - ledger.dissipated - ledger.kinetic - ledger.potential - ledger.elastic;
    return ledger;
}
