#include "sluice/secret/word.h"

int read() { return word(); }
