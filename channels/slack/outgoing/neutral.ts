/** Stands between two characters without being seen, and without letting a line break there. */
const joiner = '\u2060';

/** A `<`, also as markdown can spell it. */
const opening = '(?:<|&lt;?|&#0*60;?|&#x0*3c;?)';
/** What makes a mention of an angle bracket, in the same spellings. */
const sign = '(?:[!@#]|&(?:excl|commat|num);|&#0*(?:33|64|35);?|&#x0*(?:21|40|23);?)';
const suspect = new RegExp(String.raw`(${opening})(\\*)(?=${sign})`, 'gi');

/** What Slack takes for a call, a link to a person or a channel, or a date. */
const mention = /^(?:!(?:channel|here|everyone|group|subteam\^|date\^)|@[UWB][A-Z0-9]{2}|#[CGD][A-Z0-9]{2})/i;
/** As much as is needed of a mention to know it, in the longest spelling. */
const longestHead = 120;

/** An address on the web, or a call that stands in no e-mail address either. */
const addressOrCall = /https?:\/\/[^\s<>]+|(?<![\w@/.+-])@(?=(?:channel|here|everyone)(?![\w-]|\.\w))/gi;

/**
 * The text as it is read, in which nothing calls anybody: `<!channel>`, `<@U0123ABCD>`, `@here` and the like stand there as
 * they are, with a character between that is not seen. Doing it twice changes nothing.
 */
export function neutral(text: string): string {
  // Most texts have none of it.
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

/** The text without escapes. */
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
