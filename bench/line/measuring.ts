import type { Stand } from './stand.ts';

/** What one run of a row has measured, by the name of the figure with its unit. */
export type Figures = Readonly<Record<string, number>>;

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Starts the subject and waits for its first answer. */
export async function begin(stand: Stand): Promise<void> {
  stand.start();
  await answered(stand, 100);
}

/** Asks in a chat; resolves with how long the answer took, in ms. */
export async function answered(stand: Stand, chat: number, words?: string): Promise<number> {
  const took = await stand.ask(chat, words);
  if (took === undefined) throw new Error(`A message was not answered. The log of the process:\n${stand.log}`);
  return took;
}

/** Asks one after the other; how long each took, in ms. */
export async function inTurn(stand: Stand, messages: number, chat = 100): Promise<readonly number[]> {
  const took: number[] = [];
  for (let message = 0; message < messages; message += 1) took.push(await answered(stand, chat));
  return took;
}

/** Each of these chats asks at once, so often, and writes again when it is answered. Resolves with how long each took, in ms. */
export async function atOnce(stand: Stand, chats: number, each = 1): Promise<readonly number[]> {
  const talks = Array.from({ length: chats }, (_, chat) => inTurn(stand, each, 1000 + chat));
  return (await Promise.all(talks)).flat();
}

/** How much the work costs: its time and the processor's, in ms. */
export async function timed<Result>(
  stand: Stand,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly wall: number; readonly processor: number }> {
  const begun = performance.now();
  const { processor } = stand;
  const result = await work();
  return { result, wall: performance.now() - begun, processor: stand.processor - processor };
}

/** What a start costs until its first answer. */
export async function started(stand: Stand): Promise<Figures> {
  const begun = performance.now();
  await begin(stand);
  return { 'first reply ms': performance.now() - begun, 'processor of the start ms': stand.processor };
}

/** What a process does in its first messages, such as compiling, is no part of what is measured. */
export async function warm(stand: Stand): Promise<void> {
  await begin(stand);
  await inTurn(stand, 30);
}
