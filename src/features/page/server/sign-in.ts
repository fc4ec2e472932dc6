import type { Acquaintance } from '../../../conversation/access/access.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { isJsonObject, type JsonValue } from '../../../lib/json.ts';
import type { Lockout } from '../../../lib/lockout.ts';
import type { Words } from '../../../lib/words.ts';
import type { SignInTickets } from '../tickets.ts';
import { browserName } from './browser-name.ts';
import { serverWords } from './words.ts';

/** The cookie with one half of the proof. */
const sessionCookie = 'keyturn_session';
/** In seconds. */
const cookieLifetime = 30 * 86_400;

export interface SignInParts extends Pick<FeatureCore, 'webDoor' | 'rules' | 'log'> {
  readonly tickets: SignInTickets;
  readonly lockout: Lockout;
}

export interface SignInRequest {
  readonly body: JsonValue;
  /** Of the connection. */
  readonly address: string;
  readonly userAgent: string;
}

export type SignInAnswer =
  | { readonly type: 'in'; readonly cookie: string; readonly key: string }
  | { readonly type: 'refused'; readonly status: 400 | 403; readonly words: Words }
  /** `seconds`: when to come again. */
  | { readonly type: 'locked'; readonly seconds: number };

/** Uses up a ticket, and lets the browser in. */
export async function signIn({ body, address, userAgent }: SignInRequest, parts: SignInParts): Promise<SignInAnswer> {
  const { tickets, lockout, log } = parts;
  const wait = lockout.waitOf(address);
  if (wait > 0) return { type: 'locked', seconds: Math.ceil(wait / 1000) };
  const code = isJsonObject(body) && typeof body.ticket === 'string' ? body.ticket : undefined;
  if (code === undefined)
    return { type: 'refused', status: 400, words: (language) => serverWords[language].wrongTicket };
  lockout.take(address);
  const person = tickets.redeem(code);
  if (person === undefined) {
    log.warn({ part: 'page' }, 'somebody tried to sign in with a link that is not good, or no longer');
    return { type: 'refused', status: 403, words: (language) => serverWords[language].wrongTicket };
  }
  lockout.forgive(address);
  return admit(person, browserName(userAgent), parts);
}

async function admit(
  person: Acquaintance,
  name: string,
  { webDoor, rules }: Pick<SignInParts, 'webDoor' | 'rules'>,
): Promise<SignInAnswer> {
  // Their rights may have ended since they got the link.
  const admitted = rules.isLetIn(person.principal) ? await webDoor.admit(person, name) : undefined;
  return admitted === undefined
    ? { type: 'refused', status: 403, words: (language) => serverWords[language].notLetIn }
    : { type: 'in', cookie: admitted.cookie, key: admitted.key };
}

/** `value` undefined: the cookie ends. */
export function sessionCookieFor(value: string | undefined, isEncrypted: boolean): string {
  const [shown, age] = value === undefined ? ['', 0] : [value, cookieLifetime];
  const secure = isEncrypted ? '; Secure' : '';
  return `${sessionCookie}=${shown}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** The cookie as the browser sent it. */
export function sentCookie(header: string): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === sessionCookie)?.[1];
}
