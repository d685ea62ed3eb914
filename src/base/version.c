#include <stdlib.h>

#include "maraca/maraca.h"

const char *mrc_version(void) { return MARACA_VERSION; }

void mrc_text_free(char *text) { free(text); }
