#include "test_server.h"
