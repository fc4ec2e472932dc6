import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { read, structure, threadTimestamp } from './parameters.ts';
import type { Rooms } from './rooms.ts';

export interface SuggestedPrompt {
  readonly title: string;
  readonly message: string;
}

/** What people see beside the messages of a thread with the app. */
export interface ShownThread {
  /** Empty while the app does nothing. */
  readonly status: string;
  readonly prompts: readonly SuggestedPrompt[];
  readonly promptsTitle: string;
}

type Params = Readonly<Record<string, unknown>>;

const mostPrompts = 4;
const statusParameters = z.strictObject({ channel_id: z.string(), thread_ts: threadTimestamp, status: z.string() });
const promptsParameters = z.strictObject({
  ...{ channel_id: z.string(), thread_ts: threadTimestamp.optional(), title: z.string().default('') },
  prompts: structure(
    z
      .array(z.strictObject({ title: z.string().min(1), message: z.string().min(1) }))
      .min(1)
      .max(mostPrompts),
  ),
});
const codes = { channel_id: 'channel_not_found', thread_ts: 'invalid_thread_ts' };
const nothing: ShownThread = { status: '', prompts: [], promptsTitle: '' };

/** The methods of the assistant pane, and what they show. */
export class AssistantThreads {
  readonly #rooms: Rooms;
  readonly #threads = new Map<string, ShownThread>();
  /** Every status that was shown, the oldest first. */
  #statuses: { readonly channel: string; readonly threadTs: string; readonly status: string }[] = [];

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  setStatus(params: Params): JsonObject {
    const { channel_id: channel, thread_ts: threadTs, status } = read(statusParameters, params, codes);
    this.#rooms.writable(channel);
    this.#statuses.push({ channel, threadTs, status });
    this.#change(channel, threadTs, { status });
    return {};
  }

  setSuggestedPrompts(params: Params): JsonObject {
    const given = read(promptsParameters, params, codes);
    this.#rooms.writable(given.channel_id);
    this.#change(given.channel_id, given.thread_ts ?? '', { prompts: given.prompts, promptsTitle: given.title });
    return {};
  }

  /** A message of the app in the thread ends the status. */
  clearStatus(channel: string, threadTs: string): void {
    this.#change(channel, threadTs, { status: '' });
  }

  shown(channel: string, threadTs: string): ShownThread {
    return this.#threads.get(`${channel} ${threadTs}`) ?? nothing;
  }

  get statuses(): readonly { readonly channel: string; readonly threadTs: string; readonly status: string }[] {
    return [...this.#statuses];
  }

  forget(): void {
    this.#threads.clear();
    this.#statuses = [];
  }

  #change(channel: string, threadTs: string, change: Partial<ShownThread>): void {
    this.#threads.set(`${channel} ${threadTs}`, { ...this.shown(channel, threadTs), ...change });
  }
}
