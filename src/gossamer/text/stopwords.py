"""Function words of the languages that can be told apart by them: used to detect a language and to weigh questions.

Short on purpose: the words that carry grammar and question words, nothing that could be a subject.
"""

from __future__ import annotations

_LISTS = {
    "danish": (
        "af alle at blev da de dem den der deres det dette dig din du eller en end er et for fordi fra ham "
        "han har havde hende hendes her hun hvad hvem hver hvilke hvilken hvilket hvis hvor hvordan hvornår i "
        "ikke ind jeg kan kunne man med meget men mig min mod når og også om op os over på sig sin skal som "
        "til ud under var ved vi vil være været "
    ),
    "dutch": (
        "aan als bij dan dat de den der deze die dit door dus een en er ging had heb hebben heeft hem het "
        "hier hij hoe hoeveel hun ik in is je kan maar me meer met mijn naar niet nog nu of om onder ons ook "
        "op over te tegen toen tot uit van veel voor waar waarom wanneer waren was wat we welk welke werd "
        "werden wie wij worden wordt zal ze zich zij zijn zo zou zouden "
    ),
    "english": (
        "a about after all also am an and another any are aren as at be because been before being both but by "
        "can could couldn d did didn do does doesn doing don done during each either else for from further "
        "had has hasn have haven having he her here hers him his how i if in into is isn it its itself just "
        "ll m me might mine more most much must my myself no nor not of off on once only or other our ours "
        "out over own re s same shall she should shouldn so some such t than that the their theirs them "
        "themselves then there these they this those through to too under until up upon us ve very via was "
        "wasn we were weren what when where whether which while who whom whose why will with within without "
        "won would wouldn you your yours "
    ),
    "finnish": (
        "ei eivät emme en että ette hän hänen he heidän ja jos joka jonka jossa jotka jolla kanssa koska kuin "
        "kuka kun kuten ketkä me mikä mikä milloin minä minkä miksi missä mistä miten mitä mukaan mutta myös "
        "ne niiden niin nämä oli olivat olla on ole olet olemme ovat se sekä sen siitä sinä sitä tai te tämä "
        "tämän vaan vai "
    ),
    "french": (
        "à ai au aux avec avait c ce cela ces cet cette comme comment d dans de des dont du elle elles en "
        "entre est et étaient était été être eu fut il ils j je l la laquelle le lequel les leur leurs lui m "
        "ma mais me mes mon n ne nos notre nous on ont ou où par pas plus pour pourquoi qu quand que quel "
        "quelle quelles quels qui quoi s sa sans se ses si son sont sur t ta te tes ton tu un une vos votre "
        "vous y "
    ),
    "german": (
        "aber alle als am an auch auf aus bei bis da das dass dem den der des dessen die dies diese dieser "
        "dieses doch du durch ein eine einem einen einer eines er es für gegen hat hatte hatten haben ich ihr "
        "ihre im in ist ja kann können man mehr mein mit nach nicht noch nur ob oder ohne sein seine sich sie "
        "sind so sowie über um und uns unter vom von vor wann war waren warum was weil welche welcher welches "
        "wem wen wenn wer werden wie wir wird wo wurde wurden zu zum zur zwischen "
    ),
    "hungarian": (
        "a az azt azok egy egyik ehhez el én és ez ezek ezt hogy hol ha itt is ki kik lehet lett meg melyik "
        "mely mert mi miért mikor milyen mint mit most nem ő ők őt össze pedig sem szerint te úgy vagy van "
        "vannak volt "
    ),
    "italian": (
        "a ad ai al alla alle anche c che chi ci come con cosa cui da dai dal dalla dalle degli dei del della "
        "delle dello di dove e è ed era erano fu gli ha hanno i il in io l la le lei lo loro lui ma mi nei "
        "nel nella nelle non o per perché più qual quale quali quando quanto quella quelle quello questa "
        "queste questo se si sia sono su sua sue sul sulla suo suoi tra tu un una uno "
    ),
    "norwegian": (
        "alle at av ble bli da de dem den denne der deres det dette du eller en enn er et etter for fordi fra "
        "før ha hadde han har hans henne hennes her hun hva hvem hver hvilke hvilken hvilket hvis hvor "
        "hvordan hvorfor i ikke jeg kan kunne man med men mot når noe og også om opp oss på seg sin skal som "
        "så til ut var ved vi vil være vært "
    ),
    "polish": (
        "a aby albo ale bez był była było były być ci co czy dla do gdy gdzie i ich ile im ja jak jaka jaki "
        "jakie jako jego jej jest jeśli już kiedy która które którego której który którzy kto lub ma mnie na "
        "nad nie o od on ona one oni oraz po pod przez przy są się ta tak także tam te tego tej ten to tu "
        "tych tylko tym u w we więc z za ze że "
    ),
    "portuguese": (
        "a ao aos as até com como da das de dela dele do dos e é ela elas ele eles em entre era eram essa "
        "esse esta está este eu foi foram há isso isto já lhe mais mas me na não nas no nos nós o onde os ou "
        "para pela pelas pelo pelos por porque qual quais quando que quem são se sem ser seu seus sua suas "
        "também te tem um uma você "
    ),
    "romanian": (
        "a ai al ale am ar are au ca care când cât ce cel cele cei cine cu cum da de din după ea ei el ele "
        "este era eu fi fost iar în între la le lor lui mai nu o pe pentru prin sa sale să sau se și sunt un "
        "una unde unei unui "
    ),
    "russian": (
        "а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть же за "
        "и из или им их к как какая какие какой каком когда которая которого которое которой которые который "
        "кто ли мне мы на над не него ней нет ни них но о об он она они оно от по под почему при с свой своей "
        "своих себя со так также там то того тоже той только том ты у уже чего чей чем что чтобы эта эти это "
        "этого этой этом этот я "
    ),
    "spanish": (
        "a al algo como con cómo cual cuál cuáles cuando cuándo cuánto de del desde donde dónde dos e el él "
        "ella ellas ellos en entre era eran es esa ese eso esta está este esto fue fueron ha había han hasta "
        "hay la las le les lo los más me mi muy ni no nos o para pero por porque qué que quien quién quiénes "
        "se ser si sin sobre son su sus también te tiene tu un una uno unos y ya yo "
    ),
    "swedish": (
        "alla att av blev bli de dem den denna deras det detta dig din du där då efter eller en ett från för "
        "ha hade han hans har hennes henne hon hur här i icke inte jag kan kunde man med men mig min mot "
        "mycket när någon nu och också om oss på sedan sig sin ska skulle som så till under upp ut vad var "
        "varför vara varit vem vi vid vilka vilken vilket vill är över "
    ),
    "turkish": (
        "acaba ama ancak bir bu çok da daha de değil diye en gibi hangi hem her için ile ise kaç kadar ki kim "
        "kime kimin mi mı mu mü nasıl ne neden nedir nerede nereye niçin o olan olarak oldu olduğu onun sonra "
        "şu tarafından ve veya ya "
    ),
}

STOP_WORDS: dict[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in _LISTS.items()}
"""Stop words by the Snowball name of the language, casefolded, with their diacritics."""
