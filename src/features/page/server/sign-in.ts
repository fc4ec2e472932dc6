import type { Device } from '../../../conversation/access/access.ts';
import { quietNoticeIn } from '../../../engine/message.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { isJsonObject, type JsonValue } from '../../../lib/json.ts';
import type { Lockout } from '../../../lib/lockout.ts';
import { inlineCode, nameCode } from '../../../lib/plain-text.ts';
import type { Words } from '../../../lib/words.ts';
import type { Invited, SignInTickets } from '../tickets.ts';
import { pageWords } from '../words.ts';
import { browserName } from './browser-name.ts';
import { serverWords } from './words.ts';

/** The cookie with one half of the proof. */
const sessionCookie = 'keyturn_session';
/** As long as browsers keep one, in seconds: that a browser was away for too long, the gateway knows. */
const cookieLifetime = 400 * 86_400;

export interface SignInParts
  extends Pick<
    FeatureCore,
    'webDoor' | 'accounts' | 'rules' | 'log' | 'store' | 'clock' | 'deliver' | 'readerIn' | 'prepareReaders'
  > {
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

/**
 * Uses up a ticket, and lets the browser in. Wrong ones lock an address out, but keep out no ticket that is right:
 * nobody guesses one, and all who are behind a proxy, or on this machine, share the address.
 */
export async function signIn({ body, address, userAgent }: SignInRequest, parts: SignInParts): Promise<SignInAnswer> {
  const code = isJsonObject(body) && typeof body.ticket === 'string' ? body.ticket : undefined;
  if (code === undefined)
    return { type: 'refused', status: 400, words: (language) => serverWords[language].wrongTicket };
  const person = parts.tickets.redeem(code);
  const isGood = person !== undefined && isStillInvited(person, parts);
  return isGood ? admit(person, browserName(userAgent), parts) : refuseGuess(address, parts);
}

/** A browser that was let in no longer has let in nobody else before. */
function isStillInvited({ deviceId }: Invited, { accounts }: SignInParts): boolean {
  return deviceId === undefined || accounts.devices().some(({ id }) => id === deviceId);
}

function refuseGuess(address: string, { lockout, log }: SignInParts): SignInAnswer {
  const wait = lockout.waitOf(address);
  if (wait > 0) return { type: 'locked', seconds: Math.ceil(wait / 1000) };
  lockout.take(address);
  log.warn({ part: 'page' }, 'somebody tried to sign in with a link that is not good, or no longer');
  return { type: 'refused', status: 403, words: (language) => serverWords[language].wrongTicket };
}

async function admit(person: Invited, name: string, parts: SignInParts): Promise<SignInAnswer> {
  const { webDoor, rules } = parts;
  // Their rights may have ended since they got the link.
  const admitted = rules.isLetIn(person.principal) ? await webDoor.admit(person, name) : undefined;
  if (admitted === undefined)
    return { type: 'refused', status: 403, words: (language) => serverWords[language].notLetIn };
  await tell(person, admitted.device, parts);
  return { type: 'in', cookie: admitted.cookie, key: admitted.key };
}

/** The person who got the link should know if somebody else has used it. */
async function tell(
  { conversationId }: Invited,
  { id, name }: Device,
  { store, clock, deliver, readerIn, prepareReaders, log }: SignInParts,
): Promise<void> {
  if (conversationId === undefined) return;
  try {
    await prepareReaders([conversationId]);
    const { language } = readerIn(conversationId);
    const undo = inlineCode(`/devices revoke ${id}`);
    const { message } = quietNoticeIn(conversationId, pageWords[language].signedIn({ name: nameCode(name), undo }));
    await store.outbox.say(conversationId, message, clock.now());
    deliver([conversationId]);
  } catch (err) {
    log.error({ err, part: 'page' }, 'it could not be told that somebody has signed in');
  }
}

/** How the browser has called us. */
interface Called {
  readonly host: string | undefined;
  readonly isEncrypted: boolean;
}

/** `value` undefined: the cookie ends. */
export function sessionCookieFor(value: string | undefined, { host = '', isEncrypted }: Called): string {
  // Cookies do not know ports: its name tells it from that of another Keyturn on the same machine.
  const [, port] = /:(\d+)$/.exec(host) ?? [];
  const name = port === undefined ? sessionCookie : `${sessionCookie}_${port}`;
  const [shown, age] = value === undefined ? ['', 0] : [value, cookieLifetime];
  const secure = isEncrypted ? '; Secure' : '';
  return `${name}=${shown}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}
