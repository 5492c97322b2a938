#include "sluice/expression/question.h"
