// Fuzz target of modelDescription.xml: whatever the bytes, there is a description or a message.
//
//     fuzz_description -max_total_time=60 CORPUS tests/fuzz/descriptions
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_description: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FmiDescription description;
    MrcError error = {.text = ""};
    MrcStatus status = fmi_description_parse(&description, (const char *)data, size, "fuzz", &error);
    require(status == MRC_OK || error.text[0], "a description is refused without a reason");
    if (status != MRC_OK) return 0;
    require(description.version == 2 || description.version == 3, "a version that is none");
    require(description.identifier && !strchr(description.identifier, '/'), "an identifier that is a path");
    for (size_t k = 0; k < description.variables.count; k++) {
        const FmiVariable *v = &description.variables.data[k];
        require(v->name && fmi_description_find(&description, v->name) == v,
                "a variable is not found by its name");
    }
    fmi_description_free(&description);
    return 0;
}
