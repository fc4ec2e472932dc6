import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Me, SignedIn } from '../../../../src/features/page/wire/me.ts';
import { AskError, ask, post, tell } from './ask.ts';
import { forgetKey, keepKey, key } from './key.ts';
import { type Language, language, readLanguage } from './language.ts';
import { goLive, goQuiet, liveState } from './live.ts';

/** Who is signed in here. `faint`: it is known that somebody is, and the daemon cannot be asked who. */
export type Session =
  | { readonly state: 'begins' }
  | { readonly state: 'out'; readonly fault: string | undefined }
  | { readonly state: 'faint'; readonly fault: string }
  | { readonly state: 'in'; readonly me: Me };

const current = signal<Session>({ state: 'begins' });
/** Why the ticket of the address was of no use. */
const ticketFault = signal<string | undefined>(undefined);
/** Counts the times that the daemon is asked who is signed in. */
const asked = signal(0);

export const session: ReadonlySignal<Session> = computed(() => current.value);

/** The person, as long as somebody is signed in. */
export const me: ReadonlySignal<Me | undefined> = computed(() =>
  current.value.state === 'in' ? current.value.me : undefined,
);

const tryAgainMs = 3_000;

/** Signs in with the ticket of the address, if there is one, and follows who is signed in. Called once. */
export function followSession(): void {
  addEventListener('hashchange', () => void redeemTicket());
  addEventListener('online', hurry);
  document.addEventListener('visibilitychange', hurry);
  void redeemTicket().then(() => {
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
  forgetKey(used);
}

/** Speaks another language, here and wherever the person is spoken to. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  language.value = chosen;
  await tell('language', { language: chosen });
}

/** Somebody looks again, or the network is back: a connection that was lost is not waited for. */
function hurry(): void {
  if (liveState.peek() === 'waiting' && !document.hidden) asked.value += 1;
}

/** The link's ticket: out of the address at once, so that it is in no history, and good once. */
async function redeemTicket(): Promise<void> {
  const [, ticket] = /^#ticket=(.+)$/.exec(location.hash) ?? [];
  if (ticket === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    const { key: made } = await post<SignedIn>('/signin', { ticket });
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
    });
    goLive(person.deviceId, () => {
      if (key.peek() === used) asked.value += 1;
    });
  } catch (error) {
    if (over.aborted || key.peek() !== used) return;
    if (current.peek().state !== 'in')
      current.value = { state: 'faint', fault: error instanceof Error ? error.message : String(error) };
    const timer = setTimeout(() => {
      asked.value += 1;
    }, tryAgainMs);
    over.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }
}
