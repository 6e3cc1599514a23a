"""Types of the C++ core; what each function promises stands in native/include/bridge."""

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Ids = NDArray[np.uint32]

# ---- hash

EMPTY_ENTITY: int

def word_key(word: str) -> int: ...
def entity_key(words: Keys) -> int: ...

# ---- entity_index

# ---- forest

# ---- rank

# ---- phrases

# ---- lexical
