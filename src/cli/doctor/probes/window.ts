/* How large a model's window is, and whether its server cuts a longer request without a word. */

import { oneLine } from '../../../lib/plain-text.ts';
import { type ModelAbilities, type ModelAnswer, ModelError } from '../../../models/language-model.ts';
import { ask, type Finding, type Probe, type ProbeContext, pick, saidIn } from './probe.ts';
import { probeWords } from './words.ts';

export const windowProbe: Probe = {
  name: 'window',
  // Without a graphics card, so much is read slowly.
  longest: 300,
  cost: { input: 3000, output: 50 },
  run: probeWindow,
};

/** Enough for the windows to which servers cut where nobody has set them. A word is one token at least. */
const mostWords = 2600;
/** Of a window that is known, what the words may take. */
const shareOfWindow = 0.6;
/** Below this share of its words, a request was not read whole. */
const wholeShare = 0.9;
const longestShown = 80;
const leastWindow = 256;

async function probeWindow(context: ProbeContext): Promise<Finding> {
  const { model, key, random } = context;
  const before = model.abilities?.().window ?? Number.POSITIVE_INFINITY;
  const words = Math.min(mostWords, Math.floor(before * shareOfWindow));
  const marker = newMarker(random);
  const text = `The code word is ${marker}.\n\n${fillerOf(words, random)}\n\nAnswer with the code word that stands at the very beginning of this message, and with nothing else.`;
  try {
    const question = { system: 'You are tested.', messages: [{ role: 'user', text }] as const, tools: [] };
    const answer = await ask(model, question, context);
    return judge(answer, { marker, words, key, abilities: model.abilities?.() ?? {} });
  } catch (error) {
    if (!(error instanceof ModelError) || error.fault !== 'too-long') throw error;
    const { window } = error;
    return {
      outcome: 'not',
      says: (language) => probeWords[language].refusesSize({ words, window }),
      ...(window === undefined ? {} : { set: { key: `models.${key}.context_tokens`, value: window } }),
      usage: error.usage ?? { inputTokens: 0, outputTokens: 0 },
    };
  }
}

interface Sent {
  readonly marker: string;
  readonly words: number;
  readonly key: string;
  readonly abilities: ModelAbilities;
}

function judge(answer: ModelAnswer, { marker, words, key, abilities }: Sent): Finding {
  const { usage } = answer;
  const { inputTokens: counted } = usage;
  const { window, windowFrom, server } = abilities;
  if (saidIn(answer).toLowerCase().includes(marker))
    return {
      outcome: 'ok',
      says: (language) => probeWords[language].readWhole({ words, window, windowFrom, server }),
      usage,
    };
  // What a server counts after it has cut is what it had room for.
  if (counted >= leastWindow && counted < words * wholeShare)
    return {
      outcome: 'not',
      says: (language) => probeWords[language].cuts({ words, counted, window }),
      set: { key: `models.${key}.context_tokens`, value: counted },
      usage,
    };
  const said = oneLine(saidIn(answer), longestShown);
  return { outcome: 'not', says: (language) => probeWords[language].forgets({ words, counted, said }), usage };
}

/** Nothing that a model would guess. */
function newMarker(random: () => number): string {
  const first = pick(['copper', 'velvet', 'marble', 'saffron', 'cobalt', 'walnut'], random);
  const second = pick(['heron', 'badger', 'otter', 'falcon', 'lizard', 'donkey'], random);
  return `${first}-${second}-${1000 + Math.floor(random() * 9000)}`;
}

/** So many words, in lines. Other ones each time, so that no server has them in its cache. */
function fillerOf(count: number, random: () => number): string {
  const lines = Array.from({ length: Math.ceil(count / wordsOfLine) }, () =>
    Array.from({ length: wordsOfLine }, () => pick(usual, random)).join(' '),
  );
  return lines.join('.\n');
}

const wordsOfLine = 20;
/** A token each for nearly all models. */
const usual =
  'the house was near a river and people came with bread water wood stone in summer they made light work by hand then went home for night'.split(
    ' ',
  );
