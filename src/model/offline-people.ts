import { inlineCode, oneLine } from '../lib/plain-text.ts';
import type { PhraseCall } from './offline-errands.ts';
import { readPhrase } from './offline-phrases.ts';
import { helpWords, missingToolWords, noCommandWords, noSuchCommandWords, unknownWords } from './offline-words.ts';

/** What the offline model says, and does. */
export interface OfflineAnswer {
  readonly said: readonly string[];
  readonly calls: readonly PhraseCall[];
}

/** Answers what people said, sentence by sentence: what is not understood of one does not hold up the others. */
export function answerPeople(sentences: readonly string[], toolNames: ReadonlySet<string>): OfflineAnswer {
  const said = new Set<string>();
  const calls: PhraseCall[] = [];
  const unknown: string[] = [];
  for (const sentence of sentences) {
    const phrase = readPhrase(sentence);
    switch (phrase.type) {
      case 'calls':
        calls.push(...phrase.calls);
        break;
      case 'help':
        said.add(helpWords());
        break;
      case 'no-command':
        said.add(noCommandWords());
        break;
      case 'no-such-command':
        said.add(noSuchCommandWords(phrase.name));
        break;
      case 'unknown':
        unknown.push(sentence);
    }
  }
  if (unknown.length > 0) said.add(unknownWords(unknown.length === sentences.length ? 'that' : quote(unknown)));
  // All or nothing: what is asked second may need what is asked first.
  const missing = calls.find((call) => !toolNames.has(call.name));
  if (missing === undefined) return { said: [...said], calls };
  return { said: [...said, missingToolWords(missing.name)], calls: [] };
}

function quote(sentences: readonly string[]): string {
  const quoted = sentences.slice(0, mostQuoted).map((sentence) => inlineCode(oneLine(sentence, longestQuoted)));
  const rest = sentences.length - quoted.length;
  return `${quoted.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}

const mostQuoted = 3;
const longestQuoted = 40;
