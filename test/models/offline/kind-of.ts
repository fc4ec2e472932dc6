import type { AnswerPart } from '../../../src/models/language-model.ts';
import { offlineWords } from '../../../src/models/offline/words.ts';
import type { Kind } from './first-sentences.ts';

export const isChinese = (text: string): boolean => /\p{Script=Han}/u.test(text);

/** What the offline model has made of a sentence: the tool that it calls, what its answer is about, or choices. */
export function kindOf(sentence: string, parts: readonly AnswerPart[]): Kind {
  const call = parts.find((part) => part.type === 'call');
  if (call?.type === 'call') return call.name;
  const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const say = offlineWords[isChinese(sentence) ? 'zh' : 'en'];
  for (const topic of ['thanks', 'bye', 'model', 'people', 'stop', 'undo', 'language'] as const)
    if (said === say[topic]) return topic;
  for (const topic of ['hello', 'who', 'help', 'fine', 'safety', 'plan', 'cannot'] as const)
    if (said.startsWith(say[topic]({ choices: '' }).trim())) return topic;
  return 'choices';
}
