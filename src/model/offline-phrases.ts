import { type Clause, readClause } from './offline-clauses.ts';
import type { PhraseCall } from './offline-errands.ts';
import { blankQuotes, trimEndOf, withoutCourtesy } from './phrase-text.ts';

/** What a sentence asks for, as far as a handful of patterns can tell. */
export type Phrase =
  | { readonly type: 'calls'; readonly calls: readonly PhraseCall[] }
  | { readonly type: 'help' }
  /** It asks to run something and does not say what. */
  | { readonly type: 'no-command' }
  /** It looks like a command of Keyturn's, and is none. */
  | { readonly type: 'no-such-command'; readonly name: string }
  | { readonly type: 'unknown' };

/** Reads a sentence, or several that are joined by "and" or "then". All of it must be understood, or nothing is. */
export function readPhrase(text: string): Phrase {
  const sentence = withoutCourtesy(text);
  // A greeting is a courtesy before a request, and a request for help where nothing follows.
  if (asksForHelp(text.trim()) || asksForHelp(sentence)) return { type: 'help' };
  const calls = readCalls(sentence);
  if (calls !== undefined) return { type: 'calls', calls };
  const [, name] = /^(\/\S+)/.exec(text.trimStart().slice(0, longestName)) ?? [];
  if (name !== undefined) return { type: 'no-such-command', name };
  return asksToRun.test(blankQuotes(sentence)) ? { type: 'no-command' } : { type: 'unknown' };
}

const longestName = 40;
const asksToRun = /(?:^|\b(?:and|then) )(?:run|execute|exec)(?:\s|$)/i;

function asksForHelp(sentence: string): boolean {
  return helpWords.test(trimEndOf(sentence.slice(0, longestHelp), '.!? '));
}

const longestHelp = 60;
const helpWords =
  /^(?:hi|hello|hey|help|good (?:morning|day|evening)|start|\/start|\/help|(?:hi|hello|hey)[, ]+(?:there|you|keyturn)|help me|what can (?:you|i) (?:do|say|ask)(?: here| for me)?|who are you|what are you|are you (?:an? )?(?:ai|there|real)|how (?:does this|do you) work)$/i;

/** Splits where a joining word stands between two sentences that are understood, and only there. */
function readCalls(text: string): readonly PhraseCall[] | undefined {
  const calls: PhraseCall[] = [];
  let from = 0;
  for (const join of findJoins(text)) {
    const call = readClause(text.slice(from, join.start));
    if (call === undefined || !endsAt(call, join)) continue;
    calls.push(call);
    from = join.end;
  }
  const last = readClause(text.slice(from));
  return last === undefined
    ? undefined
    : [...calls, last].map(({ name, arguments: args }) => ({ name, arguments: args }));
}

function endsAt(clause: Clause, join: Join): boolean {
  if (clause.reach === undefined) return true;
  switch (clause.reach) {
    case 'until-then':
      return join.isThen;
    case 'to-the-end':
      return false;
  }
}

interface Join {
  readonly start: number;
  readonly end: number;
  readonly isThen: boolean;
}

/** The places at which a further sentence may begin: after a joining word outside quotes, and before a verb. */
function findJoins(text: string): readonly Join[] {
  const joins: Join[] = [];
  for (const match of blankQuotes(text).matchAll(/(?:\band then|\band|\bthen|\n)(?=[ \t])|\n(?=\S)/gi)) {
    const end = match.index + match[0].length;
    const next = text.slice(end, end + verbWindow).trimStart();
    if (!verbs.test(withoutCourtesy(next))) continue;
    joins.push({ start: match.index, end, isThen: /then$/i.test(match[0]) });
    // Nobody says more in one sentence. The bound keeps a long text from being read over and over.
    if (joins.length === mostJoins) break;
  }
  return joins;
}

const mostJoins = 8;
const verbWindow = 60;
const verbs =
  /^(?:list|ls|dir|show|display|print|what|which|read|cat|open|view|write|save|put|store|create|make|add|replace|change|substitute|run|execute|exec|\$|echo|say|repeat|remember|recall|remind|find|search|fetch|send)(?:\s|'s|$)/i;
