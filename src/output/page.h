// report.html: one page that shows a run or a study in the browser, without a network or a server (docs/report.md).
//
// The page itself, with the libraries that it draws with, is put together when the program is built
// (scripts/generate-page, src/output/page/). Here it gets its data, as elements at its end. What it shows follows from which
// of them are there:
//
//     summary, report, model    texts: summary.json, the report on the terminal, the model as run
//     series, periods           tables: {"names", "units", "rows", "type", "thinned", "data"}
//     replay                    frames: {"ranges", "index", "data"}; the index is JSON, deflated
//     study, plan, ...          studies and other commands: page_files in page.c has all of them
//
// `data` is deflated and in base64. Tables are columns of doubles, or of floats where they would take more than their part
// of the budget; longer ones keep the smallest and the largest value of each stretch. Of the replay, coordinates are
// whole numbers of 12 to 16 bits in the box of the part; if need be, frames are left out.
#ifndef OUTPUT_PAGE_H
#define OUTPUT_PAGE_H

#include <stdbool.h>

#include "base/error.h"

enum { PAGE_BUDGET_MB = 20 };

// A text at hand that goes into the page: JSON, or `plain`, which becomes a string. NULL: it is left out.
typedef struct PageItem {
    const char *id, *text;
    bool plain;
} PageItem;

// A page at `path`, made of the items and of the files in the result folder that none of them stands for. `folder` NULL: of
// the items alone. `budget`: of the data in the page [bytes].
MrcStatus page_write(const char *path, const char *folder, const PageItem *items, int count, double budget,
                     MrcError *error);
// report.html in the folder, with the usual budget.
MrcStatus page_write_report(const char *folder, const PageItem *items, int count, MrcError *error);
// Is there anything in the folder that a page can be made of?
bool page_folder_has_results(const char *folder);

#endif
