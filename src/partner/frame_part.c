#include "partner/frame_part.h"

bool frame_list_add(FrameList *list, FramePart part) { return array_push(&list->parts, part); }

void frame_list_free(FrameList *list) { array_free(&list->parts); }
