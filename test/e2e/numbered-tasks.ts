import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelCall, ModelReply } from '../support/model-reply.ts';
import type { ModelRequest, RequestMessage } from '../support/model-request.ts';

/** `talk` is only answered · `note` adds a line to a ledger, without asking · `book` changes a file, after an approval. */
export const kinds = ['talk', 'note', 'book'] as const;

export interface Task {
  readonly number: number;
  /** `send`: a file comes with the answer. */
  readonly kind: (typeof kinds)[number] | 'send';
}

/** What a person writes. */
export function wordsOf({ number, kind }: Task): string {
  return `#${number} ${kind}`;
}

/** The numbers of what an answer of the model answers; of anything else, none. */
export function answeredBy(text: string): readonly number[] {
  if (!text.startsWith('answered:')) return [];
  return [...text.matchAll(/#(\d+)/g)].map(([, number]) => Number(number));
}

/** What the model says: makes the calls of what it has not answered yet, and then answers it by its numbers. */
export function answer({ messages }: ModelRequest): ModelReply {
  const answered = messages.findLastIndex(({ role, calls }) => role === 'assistant' && calls.length === 0);
  const news = messages.slice(answered + 1);
  const said = news.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
  const tasks = [...said.matchAll(/#(\d+) (talk|note|book|send)/g)].map(([, number, kind]) => ({
    number: Number(number),
    kind: [...kinds, 'send' as const].find((one) => one === kind) ?? 'talk',
  }));
  const called = new Set(news.flatMap(({ calls }) => calls.map(numberOf)));
  const calls = tasks.filter(({ number }) => !called.has(number)).flatMap(callOf);
  if (calls.length > 0) return { calls };
  const noted = [...said.matchAll(/<keyturn_event call="(\w+)"/g)].map(([, id]) => ` noted ${id}`);
  return { text: `answered:${tasks.map(({ number }) => ` #${number}`).join('')}${noted.join('')}` };
}

/** The numbers of the calls of which the model was told that nobody knows what became of them. */
export function toldUnknown(requests: readonly ModelRequest[]): ReadonlySet<number> {
  return new Set(requests.flatMap(({ messages }) => unknownIn(messages)));
}

/** How many calls, among those whose result came later, the model was told that of. */
export function countLaterUnknown(requests: readonly ModelRequest[]): number {
  const texts = requests.flatMap(({ messages }) =>
    messages.filter(({ role }) => role === 'user').map(({ text }) => text),
  );
  const events = texts.flatMap((text) => [
    ...text.matchAll(/<keyturn_event call="(\w+)" tool="\w+" outcome="unknown">/g),
  ]);
  return new Set(events.map(([, id]) => id)).size;
}

/** What the tasks leave behind in the workspace. */
export class Traces {
  readonly #workspace: string;

  constructor(workspace: string) {
    this.#workspace = workspace;
    mkdirSync(join(workspace, 'book'));
  }

  /** Makes what a task needs. */
  prepare({ number, kind }: Task): void {
    if (kind === 'book' || kind === 'send') writeFileSync(this.#bookOf(number), '0');
  }

  /** How often each task of a kind that leaves traces was carried out. */
  count({ number, kind }: Task): number {
    if (kind === 'book') return readFileSync(this.#bookOf(number), 'utf8').length - 1;
    return this.ledger().filter((line) => line === String(number)).length;
  }

  ledger(): readonly string[] {
    const file = join(this.#workspace, 'ledger.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  }

  #bookOf(number: number): string {
    return join(this.#workspace, 'book', `${number}.txt`);
  }
}

function callOf({ number, kind }: Task): readonly ModelCall[] {
  switch (kind) {
    case 'talk':
      return [];
    case 'note':
      return [{ name: 'shell', arguments: { command: `echo ${number} >> ledger.txt` } }];
    case 'book':
      // Done twice, it adds two.
      return [{ name: 'edit_file', arguments: { path: `book/${number}.txt`, old_text: '0', new_text: '01' } }];
    case 'send':
      return [{ name: 'send_file', arguments: { path: `book/${number}.txt` } }];
  }
}

function numberOf({ arguments: given }: RequestMessage['calls'][number]): number {
  return Number(/(?:echo |book\/)(\d+)/.exec(given)?.[1]);
}

function unknownIn(messages: readonly RequestMessage[]): readonly number[] {
  let calls: RequestMessage['calls'] = [];
  return messages.flatMap((message) => {
    if (message.role === 'assistant') calls = message.calls;
    const call = calls.find(({ id }) => id === message.callId);
    return call !== undefined && message.text.startsWith('Outcome unknown') ? [numberOf(call)] : [];
  });
}
