#include "logic/limits.h"

#include "base/clock.h"

struct model_limits model_limits_begin(const struct model_limits *limits) {
    struct model_limits l = limits ? *limits : (struct model_limits){0};
    if (l.until > 0) return l;
    if (l.seconds > 0)
        l.until = clock_now() + l.seconds;
    else if (l.candidates <= 0)
        l.until = clock_processor() + MODEL_SECONDS;
    return l;
}
