import { type ClientState, connect, type KeyturnClient, type WebSocketClass } from '@keyturn/client';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { post } from './ask.ts';

/*
 * One connection a tab, on which the daemon says that something has changed. What has changed is asked for over HTTP: a hint
 * that is lost costs nothing, as all topics count up when the connection is back.
 */

/** How often the daemon has said that a topic has changed, and how often all may have. */
interface Counts {
  readonly all: number;
  readonly topics: Readonly<Record<string, number>>;
}

const none: Counts = { all: 0, topics: {} };
const counts = signal(none);
const state = signal<ClientState>('connecting');
const client = signal<KeyturnClient | undefined>(undefined);
const refusal = signal<string | undefined>(undefined);

/** Whether the daemon can be heard: `waiting` if the connection was lost and is tried again. */
export const liveState: ReadonlySignal<ClientState> = computed(() => state.value);

/** Why the daemon has ended the connection, until there is one again. */
export const liveRefusal: ReadonlySignal<string | undefined> = computed(() => refusal.value);

/** Counts up when the topic may have changed: `waiting`, `runs`, `run:ID`, `conversation:ID`, `people`, `channels`, `settings`. */
export function changes(topic: string): ReadonlySignal<number> {
  return computed(() => counts.value.all + (counts.value.topics[topic] ?? 0));
}

/** The same for several. */
export function changesOf(topics: readonly string[]): number {
  const { all, topics: by } = counts.value;
  return topics.reduce((sum, topic) => sum + (by[topic] ?? 0), all);
}

/** Connects as this browser. `ended` is told when the daemon has refused it, and how long it had lasted by then, in ms. */
export function goLive(ended: (lasted: number) => void): void {
  hangUp();
  const since = performance.now();
  const opened = connect({
    url: location.origin,
    ticket,
    webSocket: unnamedSocket(),
    backOff: { first: 500, longest: 10_000 },
    onFrame: hear,
    onState: (now) => {
      if (client.peek() === opened || client.peek() === undefined) state.value = now;
    },
  });
  client.value = opened;
  void opened.closed.then((reason) => {
    if (client.peek() !== opened) return;
    refusal.value = reason;
    ended(performance.now() - since);
  });
}

/** Ends the connection. */
export function goQuiet(): void {
  hangUp();
  refusal.value = undefined;
}

function hangUp(): void {
  const open = client.peek();
  client.value = undefined;
  open?.close();
  state.value = 'connecting';
}

/** Asks for no session by its name, also when it comes again: where nothing is said, none needs to be its person's. */
function unnamedSocket(): WebSocketClass {
  return class extends WebSocket {
    constructor(address: URL, protocols: string[]) {
      const unnamed = new URL(address);
      unnamed.searchParams.delete('session_id');
      super(unnamed.href, protocols);
    }
  };
}

/** Something was done here that may have changed everything: all is asked for again. */
export function allChanged(): void {
  counts.value = { ...counts.peek(), all: counts.peek().all + 1 };
}

function hear(frame: Readonly<Record<string, unknown>>): void {
  if (frame.type === 'connected') {
    client.peek()?.send({ type: 'page_follow' });
    refusal.value = undefined;
    allChanged();
    return;
  }
  if (frame.type !== 'page_changed' || !Array.isArray(frame.topics)) return;
  const names = frame.topics.filter((topic) => typeof topic === 'string');
  const { all, topics } = counts.peek();
  const counted = names.map((topic) => [topic, (topics[topic] ?? 0) + 1]);
  counts.value = { all, topics: { ...topics, ...Object.fromEntries(counted) } };
}

/** A way in for one connection, as sockets carry no header. */
export async function ticket(): Promise<string> {
  const { ticket: text } = await post<{ readonly ticket: string }>('/api/ticket');
  return text;
}
