/*
 * What a message holds that its sender did not say, but shows: words in quotation marks, in code, behind `>`, and what is
 * pasted below a question about it. An order in there is no order of theirs. What cannot be told apart counts as pasted.
 */

/** The message with an `…` for each character that is shown, not said. Of the same length, with all its lines. */
export function withoutQuotes(message: string): string {
  return maskPasted(shown.reduce((text, pattern) => text.replaceAll(pattern, mask), message));
}

function mask(text: string): string {
  return text.replaceAll(/[^\n]/g, '…');
}

/** Of marks, at least two words: one word is only stressed. All repetition is bounded, to keep matching linear. */
const shown: readonly RegExp[] = [
  /(?<=```)[^`]{1,20000}(?:```|$)/g,
  /(?<=`)[^`\n]{1,300}(?=`)/g,
  /(?<=^ {0,3})>.{0,4000}$/gmu,
  /(?<=")[^"]{1,1500}[\s\p{Script=Han}][^"]{1,1500}(?=")/gu,
  /(?<=[“„])[^“„”]{1,1500}[\s\p{Script=Han}][^“„”]{1,1500}(?=[“”])/gu,
  /(?<=«)[^«»]{2,3000}(?=»)/g,
  /(?<=[「『])[^「」『』]{2,3000}(?=[」』])/g,
  /(?<=(?:^|[\s:：(,])['‘])[^'‘’\n]{1,300} [^'‘’\n]{1,300}(?=['’](?:$|[^\p{L}\p{N}]))/gmu,
  // Indented as code is, and no item of a list.
  /(?<=^(?: {4}|\t)\s{0,20})(?![\s*•–-]|\d{1,2}[.)])\S.{0,4000}$/gmu,
];

/** The same for what is pasted only: lines behind `>`, code, and all below a mail's head or a question about a text. */
export function withoutPasted(message: string): string {
  return maskPasted(shown.slice(0, 3).reduce((text, pattern) => text.replaceAll(pattern, mask), message));
}

/** Everything below the line that shows that something is pasted. */
function maskPasted(text: string): string {
  const starts = pasted.flatMap((pattern) => {
    const found = pattern.exec(text);
    return found === null ? [] : [found.index + found[0].length];
  });
  const start = Math.min(text.length, ...starts);
  return `${text.slice(0, start)}${mask(text.slice(start))}`;
}

const kinds =
  'e-?mails?|mails?|messages?|texts?|letters?|logs?|errors?|commits?|invoices?|comments?|posts?|paragraphs?|documents?|quotes?|sentences?|output|reply|answer';

const pasted: readonly RegExp[] = [
  // The head of a mail, and the line above an answer's quotation.
  /^ {0,3}(?:from|sent|subject|reply-to|von|gesendet|betreff|发件人|发送时间|主题)[:：]/imu,
  /(?:\bwrote|\bschrieb.{0,60}|写道)[:：] {0,3}$/imu,
  /^ {0,3}(?:-{2,10} ?(?:original|forwarded|weitergeleitete)|begin forwarded|fwd?:|fyi\b|转发)/imu,
  /^ {0,3}(?:dear|sehr geehrte|尊敬的).{0,60}$/imu,
  // A question about it, or a word on what to do with it, and a new line.
  new RegExp(
    String.raw`^.{0,200}\b(?:this|these|following|below|got|received) (?:[\p{L}-]{1,20} ){0,2}(?:${kinds})\b.{0,120}\n`,
    'imu',
  ),
  /^.{0,200}\b(?:in|from) (?:the |my )?(?:logs?|output)\b.{0,20}[:：] {0,3}$/imu,
  /(?:(?:^|[.,!?] |please |you )(?:translate|proofread|paraphrase|rephrase|summari[sz]e|explain)|翻译|润色|改写|总结|解释)[^\n:：]{0,60}(?:[:：](?!\/\/)|$)/imu,
];
