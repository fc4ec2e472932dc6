import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Me, SignedIn } from '../../../../src/features/page/wire/me.ts';
import { AskError, ask, post, tell } from './ask.ts';
import { forgetKey, keepKey, key } from './key.ts';
import { type Language, language, readLanguage } from './language.ts';
import { goLive, goQuiet, liveState } from './live.ts';
import { forgetWritten } from './storage.ts';

/** Who is signed in here. `faint`: it is known that somebody is, and the daemon cannot be asked who. */
export type Session =
  | { readonly state: 'begins' }
  | { readonly state: 'out'; readonly fault: string | undefined }
  | { readonly state: 'faint'; readonly fault: string }
  | { readonly state: 'in'; readonly me: Me };

const current = signal<Session>({ state: 'begins' });
/** Why the ticket of the address was of no use. */
const ticketFault = signal<string | undefined>(undefined);
/** The ticket of a link that was opened where somebody was signed in: it takes nobody's place unasked. */
const offered = signal<string | undefined>(undefined);
/** Whether a link has signed in, and it is not known yet whom. */
const isNew = signal(false);
/** Counts the times that the daemon is asked who is signed in. */
const asked = signal(0);

export const session: ReadonlySignal<Session> = computed(() => current.value);

/** The person, as long as somebody is signed in. */
export const me: ReadonlySignal<Me | undefined> = computed(() =>
  current.value.state === 'in' ? current.value.me : undefined,
);

/** Whether a link waits for the person to say that they want to sign in with it. */
export const isLinkOffered: ReadonlySignal<boolean> = computed(() => offered.value !== undefined);

/** The name of who was signed in by a link just now, until it was said. */
export const newcomer = signal<string | undefined>(undefined);

/** How often in a row the daemon has ended the connection of a browser that it lets in. */
const ends = signal(0);

const tryAgainMs = 3_000;
const longestPauseMs = 60_000;

/** Signs in with the ticket of the address, if there is one, and follows who is signed in. Called once. */
export function followSession(): void {
  addEventListener('hashchange', () => void takeTicket());
  addEventListener('online', hurry);
  document.addEventListener('visibilitychange', hurry);
  void takeTicket().then(() => {
    effect(() => {
      asked.value;
      return key.value === undefined ? leave() : enter(key.value);
    });
  });
}

/** Signs this browser out, wherever the page is open in it. */
export async function signOut(): Promise<void> {
  const used = key.peek();
  await tell('signout');
  forgetWritten();
  forgetKey(used);
}

/** Signs in with the link that was offered. Returns why it was of no use. */
export async function takeLink(): Promise<string | undefined> {
  const ticket = offered.peek();
  offered.value = undefined;
  if (ticket !== undefined) await redeem(ticket);
  return ticketFault.peek();
}

export function leaveLink(): void {
  offered.value = undefined;
}

/** Speaks another language, here and wherever the person is spoken to. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  language.value = chosen;
  await tell('language', { language: chosen });
}

/** Somebody looks again, or the network is back: a connection that was lost is not waited for. */
function hurry(): void {
  const isLost = liveState.peek() === 'waiting' || liveState.peek() === 'closed';
  if (isLost && !document.hidden) asked.value += 1;
}

/**
 * The link's ticket: out of the address at once, so that it is in no history. Any page can lead here with a link of somebody
 * else, who would then be told what this person does: who is signed in is asked.
 */
async function takeTicket(): Promise<void> {
  const [, ticket] = /^#ticket=(.+)$/.exec(location.hash) ?? [];
  if (ticket === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (key.peek() === undefined) return redeem(ticket);
  offered.value = ticket;
}

async function redeem(ticket: string): Promise<void> {
  try {
    const { key: made } = await post<SignedIn>('/signin', { ticket });
    isNew.value = true;
    batch(() => {
      ticketFault.value = undefined;
      keepKey(made);
    });
  } catch (error) {
    ticketFault.value = error instanceof AskError && error.status !== 0 ? error.message : '';
  }
}

function leave(): void {
  goQuiet();
  ends.value = 0;
  current.value = { state: 'out', fault: ticketFault.value };
}

/** Asks who that is, until it is known. Returns what ends the asking. */
function enter(used: string): () => void {
  const leaving = new AbortController();
  void askWho(used, leaving.signal);
  return () => leaving.abort();
}

async function askWho(used: string, over: AbortSignal): Promise<void> {
  try {
    const person = await ask<Me>('me', over);
    if (over.aborted) return;
    batch(() => {
      language.value = readLanguage(person.language);
      current.value = { state: 'in', me: person };
      if (isNew.peek()) newcomer.value = person.name;
      isNew.value = false;
    });
    goLive((lasted) => {
      if (key.peek() !== used) return;
      ends.value = lasted > longestPauseMs ? 1 : ends.peek() + 1;
      askLater(pauseAfter(ends.peek()), over);
    });
  } catch (error) {
    if (over.aborted || key.peek() !== used) return;
    if (current.peek().state !== 'in')
      current.value = { state: 'faint', fault: error instanceof Error ? error.message : String(error) };
    askLater(tryAgainMs, over);
  }
}

/** At first at once: it ends so where this browser was signed out. */
function pauseAfter(times: number): number {
  return times === 1 ? 0 : Math.min(longestPauseMs, tryAgainMs * 2 ** (times - 2));
}

function askLater(pause: number, over: AbortSignal): void {
  const timer = setTimeout(() => {
    asked.value += 1;
  }, pause);
  over.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
