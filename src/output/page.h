// report.html: one page that shows a run in the browser, without a network or a server (docs/report.md).
//
// The page itself, with the libraries that it draws with, is put together when the program is built
// (scripts/generate-page, src/output/page/). Here it gets its data, as elements at its end:
//
//     summary, report, model    texts: summary.json, the report on the terminal, the model as run
//     series, periods           tables: {"names", "units", "rows", "type", "thinned", "data"}
//     replay                    frames: {"frames": [...], "thinned", "data"}
//
// `data` is deflated and in base64. Tables are columns of doubles, or of floats where they would take more than their part
// of the budget; longer ones keep the smallest and the largest value of each stretch. Of the replay, coordinates are 16
// bits in the box of the part; if need be, frames are left out.
#ifndef OUTPUT_PAGE_H
#define OUTPUT_PAGE_H

#include "base/error.h"

enum { PAGE_BUDGET_MB = 20 };

// From the files of a result folder. `summary`: the text of summary.json; NULL: it is in the folder. `report`:
// that on the terminal; NULL: there is none at hand. `budget`: of the data in the page [bytes].
MrcStatus page_write(const char *folder, const char *path, const char *summary, const char *report,
                     double budget, MrcError *error);

#endif
