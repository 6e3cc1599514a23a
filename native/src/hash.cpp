#include "bridge/hash.h"
