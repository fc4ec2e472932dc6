/*
 * What a text that the model words may not say unless the person did: accounts, numbers and addresses in any spelling, and
 * ways to reach somebody. The text goes to a person whom the user named; what was read must not speak to them through it.
 */

import { isSaid, plainSpelling, type Said, standsIn } from './said-values.ts';

/**
 * What stands in a text that the person has not said: words with digits, addresses in any spelling, ways to reach
 * somebody, markup, and characters that are not seen; and what of `read`, the answers that strangers may have written,
 * looks like a name of somebody. Empty if there is nothing of that kind, or all of the text was said.
 */
export function strangeParts(said: Said, text: string, read: readonly string[] = []): readonly string[] {
  const plain = plainSpelling(text);
  if (plain.length > longestText) return standsIn(said.plain, plain) ? [] : [plain.slice(0, 80)];
  const links = [...text.matchAll(/https?:[^\s<>"'`)\]]{1,2000}/giu)].map(([link]) =>
    link.replace(/[.,;:!?]{1,20}$/, ''),
  );
  const strangers = links.filter((link) => !isSaid(said, link));
  if (strangers.length === 0 && (plain === '' || standsIn(said.plain, plain))) return [];
  const split = [...text.normalize('NFKC').matchAll(splitAddress)].map(([part]) => plainSpelling(part));
  const parts = [...split, ...kindsOfParts.flatMap((kind) => [...plain.matchAll(kind)].map(([part]) => part.trim()))];
  const hidden = [...text.matchAll(/[\p{Cf}\p{Co}\p{Cn}]/gu)].some(([one]) => one !== '\u200d');
  const strange = [...parts, ...foreignWords(said, plain)].filter((part) => part !== '' && !isPartSaid(said, part));
  const names = strangersNames(said, plain, read);
  return [...new Set([...strangers, ...strange, ...names, ...(hidden ? [plain.slice(0, 80)] : [])])];
}

/** Words of letters that look like others, or of a few in another script: "еvil" with a Cyrillic letter, "evil точка ру". */
function foreignWords({ plain: said }: Said, plain: string): readonly string[] {
  const words = [...plain.matchAll(/[\p{L}\p{M}]{1,100}/gu)].map(([word]) => word);
  const mixed = words.filter((word) => alphabets.filter((script) => script.test(word)).length > 1);
  const used = alphabets.filter((script) => words.some((word) => script.test(word)));
  // A whole text in another language is nothing strange.
  const rare = used.filter((script) => {
    const count = words.filter((word) => script.test(word)).length;
    return used.length > 1 && count * 2 < words.length && !script.test(said) && !script.test('a');
  });
  return [...mixed, ...words.filter((word) => rare.some((script) => script.test(word)))];
}

/** Scripts that are not mixed in one word. */
const alphabets: readonly RegExp[] = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}|\p{Script=Cherokee}|\p{Script=Georgian}|\p{Script=Coptic}|\p{Script=Lisu}/u,
  /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Devanagari}|\p{Script=Thai}/u,
];

/**
 * Names in the answers, as `evil-octopus`, that the text holds in any spelling: with other marks or spaces between, or
 * with letters that look alike.
 */
function strangersNames(said: Said, plain: string, read: readonly string[]): readonly string[] {
  if (read.length === 0) return [];
  const [text, own] = [bare(plain), bare(said.plain)];
  const names = read.flatMap((answer) => [...plainSpelling(answer.slice(0, longestText)).matchAll(nameLike)]);
  const found = names
    .map(([name]) => name)
    .filter((name) => {
      const letters = bare(name);
      return letters.length >= 5 && text.includes(letters) && !own.includes(letters);
    });
  return [...new Set(found)].slice(0, 20);
}

/** Words that are joined by marks, hold digits, or stand behind an at. */
const nameLike =
  /@[\p{L}\p{N}][\p{L}\p{N}_.-]{1,63}|(?<![\p{L}\p{N}_.-])[\p{L}\p{N}]{1,64}(?:[_.-][\p{L}\p{N}]{1,64}){1,6}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}_.-])\p{L}{1,40}\d[\p{L}\d]{0,40}/gu;

/** Letters and digits only, in one spelling for those that look alike and for what is spelt out. */
function bare(plain: string): string {
  return plain
    .normalize('NFKD')
    .replaceAll(/[аеорсухіјѕԁһӏαορνκτιυχ]/g, (letter) => alike.get(letter) ?? letter)
    .replaceAll(
      /(?<!\p{L})(?:dot|dash|hyphen|minus|underscore|at|space|punkt|strich|точка|дефис|ドット|点|横线|下划线)(?!\p{L})/gu,
      '',
    )
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

const alike: ReadonlyMap<string, string> = new Map(
  [
    'аa',
    'еe',
    'оo',
    'рp',
    'сc',
    'уy',
    'хx',
    'іi',
    'јj',
    'ѕs',
    'ԁd',
    'һh',
    'ӏl',
    'αa',
    'οo',
    'ρp',
    'νv',
    'κk',
    'τt',
    'ιi',
    'υu',
    'χx',
  ].map(([one = '', other = '']) => [one, other]),
);

function isPartSaid(said: Said, part: string): boolean {
  if (/^(?:e\.g|i\.e|a\.m|p\.m|z\.b|u\.a|etc)\.?$|^(?:g|e|m|b|etc|approx|vs|ca|mr|mrs|dr)\. /.test(part)) return true;
  return (
    standsIn(said.plain, part) || said.requests.includes(`//${part}`) || (/\p{N}/u.test(part) && isSaid(said, part))
  );
}

/** Longer texts are not looked through: all of them must be said. */
const longestText = 20_000;

/** Names of the last part of web addresses, for those that are spelt out. */
const ends = 'com|net|org|info|example|test|io|ai|app|dev|co|me|xyz|top|site|online|shop|de|fr|uk|us|eu|cn|ru|jp|in|br';

/** A full stop before a small letter: sentences begin with capital letters. */
const splitAddress = /[\p{L}\p{N}]{1,64}\.\s{1,3}\p{Ll}[\p{L}\p{N}]{0,64}/gu;

const numbers =
  'zero|oh|nought|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|double|triple|treble|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять|ゼロ|れい|いち|に|さん|よん|ご|ろく|なな|はち|きゅう|하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉';

/** Networks on which people have names. */
const networks =
  'telegram|whats ?app|wechat|weixin|signal (?:app|messenger)|(?:on|via|by|over|at|through) signal|messenger|discord|slack|skype|viber|threema|instagram|insta|facebook|tiktok|snapchat|linkedin|mastodon|bluesky|twitter|reddit|kik|matrix|wire me|line id|kakao(?:talk)?|zalo|qq|icq|paypal|venmo|cash ?app|zelle|revolut|onlyfans|ngrok|ig|dm|fb|tg|vk|iban|swift code|routing number|github|gitlab|bitcoin|ethereum|monero|usdt|dot ?com|dotcom|com|net|org|ru|xyz|t me|bit ly';

/** All repetition is bounded, to keep matching linear. */
const kindsOfParts: readonly RegExp[] = [
  // A word with a digit, a date, a number: anything of several parts counts as one.
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]{0,64}\p{N}[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]{0,64}(?:[.,:/'-][\p{Script=Latin}\p{N}_]{1,64}){0,12}/gu,
  // Numbers as words, in several languages.
  new RegExp(`(?<!\\p{L})(?:(?:${numbers})[ ,.-]{1,3}){2,40}(?:${numbers})(?!\\p{L})`, 'gu'),
  /[〇零一二三四五六七八九壹贰貳叁參肆伍陆陸柒捌玖幺两]{3,40}/gu,
  /(?:영|공|일|이|삼|사|오|육|칠|팔|구){4,40}/gu,
  // Letters one by one.
  /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}][ .,_-]{1,2}){3,60}[\p{L}\p{N}](?![\p{L}\p{N}])/gu,
  /(?<!\p{L})(?:(?:alfa|alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whiskey|x-?ray|yankee|zulu)[ ,-]{1,3}){2,40}\p{L}{3,10}/gu,
  // Markup, and other spellings of characters.
  /<(?:[!/?]|(?:a|img|script|iframe|svg|form|input|link|meta|base|object|embed|style|video|audio|image|picture|source|button|details|body|math|table|div|span|p|br|b|i)(?![a-z])|[a-z][^<>]{0,80}=)[^>]{0,200}>?|!?\[[^\]]{0,200}\]\([^)]{0,200}\)?|&#?\w{1,10};|%[\da-f]{2}|\\[ux][\da-f]{2}/gu,
  // Where somebody could be reached.
  new RegExp(`(?<![\\p{Script=Latin}\\p{N}])(?:${networks})(?![\\p{Script=Latin}\\p{N}])`, 'gu'),
  /微信|加 ?[我她他]? ?[微薇威vw❤](?![a-z])|[vw] ?信|(?<![a-z])[vw] ?x(?![a-z])|威信|薇信|电报群?|扣扣|企鹅号|私信|领英|微博|抖音|小红书|ライン|テレグラム|ディスコード|カカオ|텔레그램|카카오톡?|카톡|라인|телеграмм?|тг|ватсап|вотсап|вайбер/gu,
  // What has a dot inside, before it or after it but for the end of a sentence; and what is written with an at.
  /[^\s<>"'()[\]{},;!?]{0,200}[^\s<>"'()[\]{},;!?.]\.[\p{L}\p{N}_-][^\s<>"'()[\]{},;!?]{0,200}/gu,
  /(?<!\.)(?: \.|[([{<]{1,3} {0,3}\.)[^.].{0,20}/gu,
  /[^\s<>"'()[\]{},;!?]{0,200}@[^\s<>"'()[\]{},;!?]{0,200}/gu,
  /[^\s]{0,40}(?:\/\/|\\|:\/)[^\s]{0,200}/gu,
  /(?<![\p{L}\p{N}])h(?:tt|xx)ps?(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])www(?![\p{L}\p{N}])|slash/gu,
  /[\p{L}\p{N}]{1,64}\.\s{1,3}(?:com|net|org|info|xyz|io|ru|cn|app|dev|online)(?!\p{L})/gu,
  // Spelt out.
  /(?<![\p{L}\p{N}])(?:dot|d0t|d o t|punkt|punto|ponto|точка|нокта|نقطة|डॉट|kropka|nokta|tochka|τελεία)(?![\p{L}\p{N}])|ドット|닷|쩜|어트|アットマーク|собака/gu,
  new RegExp(`(?:point|period|full ?stop|decimal|点|點|句号)[ )\\]}>]{0,3}(?:${ends})(?![\\p{L}\\p{N}])`, 'gu'),
  /[([{<] {0,2}(?:at|dot|ät|arroba|@|a|d) {0,2}[)\]}>]|[[{<] {0,2}\p{L}{1,3} {0,2}[\]}>]/gu,
];
