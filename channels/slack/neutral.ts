/** Word joiner: invisible, and prevents a line break. */
const joiner = '\u2060';

/** A `<` in any of markdown's spellings. */
const opening = '(?:<|&lt;?|&#0*60;?|&#x0*3c;?)';
/** The character after `<` in a mention, in any spelling. */
const sign = '(?:[!@#]|&(?:excl|commat|num);|&#0*(?:33|64|35);?|&#x0*(?:21|40|23);?)';
const suspect = new RegExp(String.raw`(${opening})(\\*)(?=${sign})`, 'gi');

/** What Slack reads as a mention of people or channels, or a date. */
const mention = /^(?:!(?:channel|here|everyone|group|subteam\^|date\^)|@[UWB][A-Z0-9]{2}|#[CGD][A-Z0-9]{2})/i;
/** Enough characters to recognise a mention in its longest spelling. */
const longestHead = 120;

/** A URL, or a call such as `@here` outside an e-mail address. */
const addressOrCall = /https?:\/\/[^\s<>]+|(?<![\w@/.+-])@(?=(?:channel|here|everyone)(?![\w-]|\.\w))/gi;

/**
 * Neutralises mentions: `<!channel>`, `<@U0123ABCD>`, `@here` and the like look the same, with an invisible character
 * inside. Idempotent.
 */
export function neutral(text: string): string {
  // Most texts need none of this.
  const isSuspect = /[<&]/.test(text);
  const marked = isSuspect ? text.replace(suspect, neutralMark) : text;
  if (!marked.includes('@')) return marked;
  return marked.replace(addressOrCall, (found) => (found === '@' ? found + joiner : found));
}

function neutralMark(whole: string, bracket: string, slashes: string, at: number, text: string): string {
  const head = text.slice(at + whole.length, at + whole.length + longestHead);
  return mention.test(plainSpelling(head)) ? `${bracket}${joiner}${slashes}` : whole;
}

const named: Readonly<Record<string, string>> = {
  excl: '!',
  commat: '@',
  num: '#',
  hat: '^',
  lt: '<',
  zwnj: '',
};

function plainSpelling(text: string): string {
  return text
    .replace(/&#x([0-9a-f]{1,6});?/gi, (_, digits: string) => characterOf(Number.parseInt(digits, 16)))
    .replace(/&#(\d{1,7});?/g, (_, digits: string) => characterOf(Number(digits)))
    .replace(/&(\w+);/g, (whole, name: string) => named[name] ?? whole)
    .replaceAll('\\', '');
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
