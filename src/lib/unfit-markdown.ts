/** No message is that long, and no person nests that deep. */
const longestParsed = 12_288;
const deepNesting = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}/m;

/**
 * Measured: what stays below it is parsed in some 200 ms, whatever it is. 12 000 characters of the densest lists
 * and links that people write stay below it, too.
 */
const mostWork = 4_000_000;

/**
 * Whether the parser would hold everything else up. With what people write it is quick, but there are texts for which it
 * takes time that grows with the square of their length. They are to be shown as they were typed.
 */
export function isUnfit(source: string): boolean {
  if (source.length > longestParsed || deepNesting.test(source)) return true;
  return inlineWork(source) + blockWork(source) > mostWork;
}

/** An underscore within a word ends nothing. */
const emphasisMarks = /\*+|~+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}_])/gu;
const closingBrackets = /\]/g;
const lightMarks = /[[>|!\r\n\t_]/g;
const heavyMarks = /[\\`<&@:]|www\./gi;

/** An empty line, or one with which a list item begins. */
const paragraphEnd = /\n(?:[ \t\r]*\n| {0,3}[-+*] +(?=\S))/;

/** From whatever may end an emphasis or a link, and less so from others, the parser looks back in the paragraph. */
function inlineWork(source: string): number {
  let work = 0;
  for (const paragraph of source.split(paragraphEnd)) {
    const ends = weigh(paragraph, emphasisMarks) + 2 * weigh(paragraph, closingBrackets);
    const light = weigh(paragraph, lightMarks);
    const heavy = weigh(paragraph, heavyMarks);
    work += ends * (ends + light + 4 * heavy) + (light + 2 * heavy) ** 2 / 4;
  }
  return work;
}

/** A short run of marks is used up at once; a long one is taken apart step by step. */
function weigh(text: string, marks: RegExp): number {
  let weight = 0;
  for (const [run] of text.matchAll(marks)) weight += run.length <= 3 ? 1 : run.length;
  return weight;
}

const lineBeginnings = /^(?:[ \t]*(?:>|[-=]+(?=\s|$)|[+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/gm;

/** With every line, and more so with every quote, list item and underline, the parser goes through what came before. */
function blockWork(source: string): number {
  const lines = source.split(/\r\n?|\n/).length;
  let markers = 0;
  for (const [beginning] of source.matchAll(lineBeginnings)) markers += beginning.match(/[>+*.)]|[-=]+/g)?.length ?? 0;
  return lines * lines + 10 * markers * markers;
}
