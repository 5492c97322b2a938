#include <string>

#include "sluice/base/ids.h"

void close(sluice::SessionId session);

void close_by_text(const std::string& text) {
#ifdef WRONG
  close(text);
#else
  close(sluice::SessionId{text});
#endif
}
