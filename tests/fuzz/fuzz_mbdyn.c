// Fuzz target of MBDyn's messages: whatever the bytes, there is a motion that is finite and turns, or a message.
//
//     fuzz_mbdyn -max_total_time=60 CORPUS tests/fuzz/messages
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partner/mbdyn_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_mbdyn: %s\n", what);
    abort();
}

// The first byte says what is agreed upon, nine bytes are a negotiation, the rest is a motion, zero where it ends.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char bytes[1 + WIRE_NEGOTIATION_SIZE + WIRE_MOTION_MAX] = {0};
    MrcMotion motions[WIRE_NODES_MAX];
    MrcLoad loads[WIRE_NODES_MAX];
    MrcError error = {.text = ""};
    memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
    Wire wire = {.orientation = (WireOrientation)(bytes[0] & 3),
                 .accelerations = bytes[0] >> 2 & 1,
                 .nodes = 1 + (bytes[0] >> 3 & 7),
                 .labels = bytes[0] >> 6 & 1,
                 .reference = bytes[0] >> 7};
    MrcStatus status = wire_check_negotiation(&wire, bytes + 1, &error);
    require(status == MRC_OK || error.text[0], "a negotiation is refused without a reason");
    error.text[0] = '\0';
    status = wire_read_motion(&wire, bytes + 1 + WIRE_NEGOTIATION_SIZE, motions, &error);
    require(status == MRC_OK || error.text[0], "a motion is refused without a reason");
    for (int n = 0; status == MRC_OK && n < wire.nodes; n++) {
        const double *numbers = (const double *)&motions[n], *q = motions[n].orientation;
        for (size_t k = 0; k < sizeof(MrcMotion) / sizeof(double); k++)
            require(isfinite(numbers[k]), "it is not finite");
        require(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-9, "it does not turn");
    }
    wire_read_forces(&wire, bytes, loads);
    return 0;
}
