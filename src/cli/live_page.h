// A run watched in the browser while it goes on: maraca run --live.
//
// A small server on 127.0.0.1, by libmicrohttpd, on a thread of its own. Its address ends in a random token; a request
// without the token, or one that names another host (a page of another site that was led here), gets no answer but 403.
//
//     GET  /TOKEN/live     the report of what there is so far; a page that waits before the run has begun
//     GET  /TOKEN/data     the data of that page alone, for plots and the replay to grow
//     GET  /TOKEN/state    {"phase", "time", "duration", "elapsed", "ended", "report", "message"}
//     GET  /TOKEN/report   report.html, once the run has ended
//     POST /TOKEN/stop     the same as Ctrl-C: a checkpoint, and the end
#ifndef CLI_LIVE_PAGE_H
#define CLI_LIVE_PAGE_H

#include "maraca/maraca.h"

typedef struct LivePage LivePage;

// `folder`: of the results. NULL: the server cannot be started, and `error` says why.
LivePage *live_page_start(const char *folder, MrcError *error);
const char *live_page_address(const LivePage *live); // http://127.0.0.1:PORT/TOKEN/live
void live_page_progress(LivePage *live, const MrcProgress *now);
// The run has ended: `message` says how. Waits some seconds for a browser that watches to fetch the report, then
// closes the server. NULL is fine.
void live_page_end(LivePage *live, const char *message);

#endif
