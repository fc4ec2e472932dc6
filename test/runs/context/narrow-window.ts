import { ModelError } from '../../../src/models/language-model.ts';
import type { DaemonSetting } from '../../support/daemon-setting.ts';
import { type ScriptedRequest, wordsOf } from '../../support/scripted-model.ts';

/** Whether a request asks for a summary. */
export function asksForSummary({ messages }: ScriptedRequest): boolean {
  const [first] = messages;
  return first?.role === 'user' && first.text.includes('<conversation>');
}

/** About what a provider would count: four characters of English are a token. */
export function tokensOf({ system, messages, tools }: ScriptedRequest): number {
  return Math.ceil((system.length + JSON.stringify(messages).length + JSON.stringify(tools).length) / 4);
}

/** The model takes so many tokens, refuses what is longer, says what requests took, and summarises in a few words. */
export function narrow({ model }: Pick<DaemonSetting, 'model'>, limit: number, summary = 'Ada told a story.'): void {
  model.otherwise((request) => {
    if (tokensOf(request) > limit) throw tooLong();
    if (asksForSummary(request)) return summary;
    const last = request.messages.at(-1);
    return last?.role === 'user' ? `heard ${last.text.slice(-12)}` : 'seen';
  });
}

export function tooLong(): ModelError {
  return new ModelError(
    'too-long',
    "The conversation is too long for the model 'scripted'. Start a new one with /new.",
  );
}

/** The requests that were no summaries. */
export function askedOf({ model }: Pick<DaemonSetting, 'model'>): readonly ScriptedRequest[] {
  return model.requests.filter((request) => !asksForSummary(request));
}

export function summariesOf({ model }: Pick<DaemonSetting, 'model'>): readonly ScriptedRequest[] {
  return model.requests.filter(asksForSummary);
}

/** Lets Ada say so many things, each so long, and waits for each answer. */
export async function talk({ channel }: DaemonSetting, times: number, length = 1200, from = 0): Promise<void> {
  for (let index = from; index < from + times; index += 1) {
    await channel.say(`${'word '.repeat(Math.ceil(length / 5))}message-${String(index).padStart(4, '0')}`);
    await channel.sees(`heard message-${String(index).padStart(4, '0')}`);
  }
  await channel.whenIdle();
}

export function lastWordsOf(setting: DaemonSetting): string {
  const last = askedOf(setting).at(-1);
  return last === undefined ? '' : wordsOf(last);
}
