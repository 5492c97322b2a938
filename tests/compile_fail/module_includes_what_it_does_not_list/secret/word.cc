#include "sluice/secret/word.h"

int word() { return 42; }
