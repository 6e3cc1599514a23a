"""Function words: they never stand at the edge of an entity and are no search terms.

One set a script. The Latin set joins the short lists of six languages without the words that are
common content words in another of them (German "die" and "war", French "son", Spanish "once").
"""

from __future__ import annotations

__all__ = ["CONNECTORS", "STOP_IDEOGRAPHS", "STOP_WORDS"]

_ENGLISH = """
a about above after again against all am an and any are aren't as at be because been before being
below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't
down during each either else ever every few for from further had hadn't has hasn't have haven't
having he he'd he'll he's her here here's hers herself him himself his how how's however i i'd i'll
i'm i've if in into is isn't it it's its itself just let's me more most my myself neither no nor not
of off on only onto or other our ours ourselves out over own per same shall shan't she she'd she'll
should shouldn't since so some such than that that's the their theirs them themselves then there
there's these they they'd they'll they're they've this those though through thus to too under until
up upon us very via was wasn't we we'd we'll we're we've were weren't what what's when where which
while who who's whom whose why will with within without won't would wouldn't yet you you'd you'll
you're you've your yours yourself yourselves
"""
_SPANISH = """
al algo algún alguna ante aunque cada como con contra cual cuando cuál cuáles cuándo cuánto cuántos
de del desde donde dónde durante el ella ellos en entre era eran es esa ese eso esta estaba este
esto está están fue fueron ha había han hasta hay la las le les lo los más mi mientras muy ni nos o
otra otro para pero por porque que quien quién qué se según ser si sido sin sobre su sus también
tanto tiene tienen todo todos un una unas uno unos y ya cómo
"""
_GERMAN = """
aber als am an auch auf aus bei beim bin bis da damit dann das dass dem den denn der des dessen doch
dort du durch ein eine einem einen einer eines er es für haben hatte hatten ich ihr ihre im ist ist
kann können mit nach nicht noch nur ob oder ohne sein seine seit sich sie sind sowie über um und uns
unter vom von vor wann warum weil welche welcher welches wenn wer werden wie wird wo wurde wurden
zu zum zur zwischen
"""
_FRENCH = """
au aux avec car ce ces cet cette comme dans depuis des dont du elle elles en est et eux il ils je
jusqu la le les leur leurs lors lui mais même ne nous on ont ou où par pas plus pour puis qu quand
que quel quelle quelles quels qui quoi sa sans se ses sont sous sur tous très un une vers vous à été
être était étaient
"""
_ITALIAN = """
agli ai al alla alle allo anche che chi ci con cui da dagli dai dal dalla dalle degli dei del della
delle dello di dove e ed erano fra gli ha hanno il in io la le lo ma negli nei nel nella nelle nello
non o per perché più quale quali quando quanto quello questa questo se si sono sul sulla su tra un
una uno è
"""
_PORTUGUESE = """
ao aos as com da das de do dos e em entre era essa esse esta este eu foi foram há isso já mais mas
na nas no nos não nem o os ou para pela pelas pelo pelos por qual quais quando que quem seu seus sua
suas são se sem ser também tem um uma à às é até
"""
_RUSSIAN = """
а без был была были было быть в вам вас весь во вот все всего вы где для до его ее ей если есть еще
же за здесь из или им их к как какая какие каким каких какое какой какую кем когда кого кому которая
которого которой которую которые который которых кто куда ли между меня мне мы на над нам нас не
него нее нет ни них но о об однако он она они оно от по под почему при про с сам свои своей свою
со так также там то того тоже той только том тот ты у уже чего чем что чтобы чья чье эта эти этих
это этого этой этом этот эту я сколько
"""
_ARABIC = """
في من على الى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى اين كيف كم هل لماذا من هو هي هم كان
كانت كانوا يكون تكون ان او ثم لا لم لن قد كل بعد قبل بين حتى عند عندما منذ اي ايضا ولا وقد وكان
وكانت وهو وهي به بها له لها لهم فيه فيها منه منها عليه عليها غير كما لكن ولكن حيث اذا خلال حول تم و
بان بما مما
"""
STOP_WORDS = frozenset(
    " ".join(
        (_ENGLISH, _SPANISH, _GERMAN, _FRENCH, _ITALIAN, _PORTUGUESE, _RUSSIAN, _ARABIC)
    ).split()
)

STOP_IDEOGRAPHS = frozenset(
    "的了是在和与與及或也都就而但被把对對于於从從到以为為因所之其这這那此该該哪谁誰何什么麼吗嗎呢吧"
    "着著过過很更最不没沒有个個们們我你他她它您会會能可将將并並等又由向给給让讓使中上下"
)

_CONNECTORS = """
of the and for de del della dei der des di du da do dos das von van vom zu zur la le les los el al
bin ibn y und et e
"""
CONNECTORS = frozenset(_CONNECTORS.split())
