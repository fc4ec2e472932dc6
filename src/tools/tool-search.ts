import { isJsonObject, own } from '../lib/json.ts';
import type { ToolDefinition } from '../transcript.ts';
import { sameWords } from './same-words.ts';

/** The best first, without those that fit much worse; the ones that are named before all others, or alone. */
export type ToolSearch = (query: string, all: readonly ToolDefinition[], most: number) => readonly ToolDefinition[];

/**
 * Finds tools by their names, or by words in any language: those of names count most, then those of descriptions and
 * parameters. Words that few tools have count more than those of many. Reads each definition once.
 */
export function createToolSearch(): ToolSearch {
  const read: ReadTools = new WeakMap();
  return (query, all, most) => search(query, all, read).slice(0, most);
}

type ReadTools = WeakMap<ToolDefinition, ToolWords>;

function search(query: string, all: readonly ToolDefinition[], read: ReadTools): readonly ToolDefinition[] {
  const named = namedIn(query, all);
  const isNamed = (word: string): boolean => named.some((one) => isSameName(one.name, word));
  const sought = soughtIn(query.replaceAll(nameLike, (word) => (isNamed(word) ? ' ' : word)));
  const pages = all.map((definition) => ({ definition, words: wordsOf(definition, read) }));
  // How much each word tells: the fewer tools have it, the more.
  const weights = sought.map((concept) => {
    const count = pages.filter(({ words }) => hitOf(concept, words) > 0).length;
    return count === 0 ? 0 : Math.log(1 + all.length / count);
  });
  const scored = pages
    .map(({ definition, words }) => ({
      definition,
      score: sought.reduce((sum, concept, index) => sum + hitOf(concept, words) * (weights[index] ?? 0), 0),
    }))
    .filter(({ definition, score }) => score > 0 && !named.includes(definition))
    .sort((one, other) => other.score - one.score);
  const least = (scored[0]?.score ?? 0) * leastShare;
  const fitting = scored.filter(({ score }) => score >= least).map(({ definition }) => definition);
  return [...named, ...fitting];
}

function wordsOf(definition: ToolDefinition, read: ReadTools): ToolWords {
  const known = read.get(definition) ?? toolWords(definition);
  read.set(definition, known);
  return known;
}

interface ToolWords {
  /** In the stem that plural and tense leave. */
  readonly name: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
  /** All of it in lower case, for scripts without spaces between words. */
  readonly whole: string;
}

function toolWords({ name, displayName = '', description, parameters }: ToolDefinition): ToolWords {
  const properties = own(parameters, 'properties');
  const keys = isJsonObject(properties) ? Object.keys(properties).slice(0, 50) : [];
  const text = `${displayName} ${description.slice(0, longestRead)} ${keys.join(' ')}`;
  return {
    name: new Set(stemsIn(name)),
    text: new Set(stemsIn(text)),
    whole: `${name} ${text}`.normalize('NFKC').toLowerCase(),
  };
}

/** One word that is looked for, with those that mean the same. */
interface Concept {
  readonly own: string;
  readonly others: readonly string[];
}

/** The best of the words that mean the same, and a little of the others. One as written counts most, then the usual one. */
function hitOf({ own: word, others }: Concept, words: ToolWords): number {
  const hits = [
    hit(word, words),
    ...others.map((other, index) => hit(other, words) * (index === 0 ? usualWord : otherWord)),
  ];
  const best = Math.max(...hits);
  return best + (hits.reduce((sum, one) => sum + one, 0) - best) * restWord;
}

const [usualWord, otherWord, restWord] = [0.9, 0.6, 0.1];

/** A word of the name counts more than one of the description. */
function hit(word: string, { name, text, whole }: ToolWords): number {
  if (name.has(word)) return 3;
  if (isUnspaced(word)) return whole.includes(word) ? 3 : 0;
  return text.has(word) ? 1 : 0;
}

/** Tools whose whole names stand in the query, in its order. */
function namedIn(query: string, all: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const words = [...new Set(query.match(nameLike) ?? [])].slice(0, mostWords);
  return [...new Set(words.flatMap((word) => all.find(({ name }) => isSameName(name, word)) ?? []))];
}

const nameLike = /[\w-]+/g;

function isSameName(name: string, word: string): boolean {
  return name.toLowerCase() === word.toLowerCase();
}

function soughtIn(query: string): readonly Concept[] {
  const plain = query.slice(0, longestQuery).normalize('NFKC').toLowerCase();
  const spaced = [...new Set(stemsIn(plain.replace(unspaced, ' ')))].filter((word) => !empty.has(word));
  const runs = plain.match(unspaced) ?? [];
  // In a run of letters without spaces, the words of the table, else each pair of neighbours.
  const known = sameWords.flatMap((group) =>
    group.filter((word) => isUnspaced(word) && runs.some((run) => run.includes(word))),
  );
  const longest = known.filter((word) => !known.some((other) => other !== word && other.includes(word)));
  const pairs = runs.flatMap((run) => [...run].slice(1).map((letter, index) => `${[...run][index]}${letter}`));
  const words = [...spaced, ...new Set([...longest, ...pairs])].slice(0, mostWords);
  return words.map((word) => ({ own: word, others: othersOf(word) }));
}

function othersOf(word: string): readonly string[] {
  const groups = sameWords.filter((group) => group.some((one) => one === word || stem(one) === word));
  return [...new Set(groups.flat().map(stem))].filter((other) => other !== word);
}

/** The words of a text or a name: `readTextFile`, `read-text_file` and `read text files` are the same three. */
function stemsIn(text: string): readonly string[] {
  const apart = text
    .normalize('NFKC')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return (apart.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);
}

/** Without the end that a plural or a tense has in English. */
function stem(word: string): string {
  if (word.length < 4 || isUnspaced(word)) return word;
  const cut = word.replace(/(?:ies|y)$/, 'i').replace(/(?:ing|ed|es|s|e)$/, '');
  return cut.length < 3 ? word : cut;
}

const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]+/gu;

function isUnspaced(word: string): boolean {
  return /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/u.test(word);
}

/** Words that tell nothing about a tool. */
const empty: ReadonlySet<string> = new Set(
  stemsIn(
    'a an the of to in on at for from with by and or i me my you your it is are be can do what how that this tool',
  ),
);

/** Of the best score. */
const leastShare = 0.3;
/** In characters. */
const [longestQuery, longestRead] = [500, 800];
const mostWords = 30;
