import type { ScriptedRequest } from '../../test/support/scripted-model.ts';

/** All text of a request except the model's own. */
export function wordsIn({ system, messages, tools }: ScriptedRequest): string {
  const said = messages.flatMap((message) => {
    if (message.role === 'user') return [message.text, ...(message.images ?? []).map(() => pictured)];
    return message.role === 'results' ? message.results.map(({ text }) => text) : [];
  });
  return [system, ...said, ...tools.map(({ description }) => description)].join('\n');
}

/** Stands for the text in a picture. */
export const pictured = 'what the picture says';

/** Letters and digits only, since text may be wrapped, quoted and escaped. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
