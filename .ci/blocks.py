"""Print fenced blocks of Markdown pages, so that what a page tells people to run can be run.

blocks.py README.md sh 1          the first block of README.md that begins with ```sh
blocks.py docs/*.md sh runnable   all blocks that begin with ```sh runnable, page after page
"""

import re
import sys
from pathlib import Path

_FENCE = re.compile(r"^```(\S+)(?: (runnable))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main() -> None:
    *pages, language, which = sys.argv[1:]
    found = [
        (mark, body)
        for page in pages
        for kind, mark, body in _FENCE.findall(Path(page).read_text(encoding="utf-8"))
        if kind == language
    ]
    if which == "runnable":
        chosen = [body for mark, body in found if mark]
    else:
        chosen = [body for _, body in found[int(which) - 1 : int(which)]]
    if not chosen:
        sys.exit(f"no {language} block {which} in {' '.join(pages)}")
    print("\n".join(chosen), end="")


if __name__ == "__main__":
    main()
