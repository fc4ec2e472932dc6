/*
 * Who calls a webhook: one function checks the signatures that senders write, and tells what identifies the delivery.
 * Only what is signed identifies it, since anybody who has read a request may send it again with other headers.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureScheme, WebhookSettings } from './settings.ts';
import type { WebhookDelivery } from './tables.ts';

export interface SignedRequest {
  readonly headers: Pick<Headers, 'get'>;
  /** As it was sent. */
  readonly body: Uint8Array;
}

type Identity = WebhookDelivery['identity'];

export type Proof =
  | { readonly type: 'good'; readonly identity: Identity }
  /** `late`: rightly signed, but not now. */
  | { readonly type: 'wrong' | 'late' };

/** How far the time of a signature may be from ours, in ms: as Stripe, Slack and Standard Webhooks say. */
const window = 300_000;
/** Within this time, in ms, the same again is a repetition: a signature is good for as long as this. */
const repetition = 2 * window;

/** Checks the signature of a request. Takes as long for a wrong one as for a right one. */
export function prove(
  settings: Pick<WebhookSettings, 'signature' | 'secret' | 'header_name'>,
  request: SignedRequest,
  now: number,
): Proof {
  const claim = claimOf(settings, request);
  const isRight = claim.given.map((given) => claim.wanted.some((wanted) => timingSafeEqual(given, wanted)));
  if (!isRight.includes(true)) return { type: 'wrong' };
  if (claim.at !== undefined && !(Math.abs(now - claim.at) <= window)) return { type: 'late' };
  return { type: 'good', identity: claim.identity };
}

/** What a request says of itself. */
interface Claim {
  /** What it has for a signature: 32 bytes each. */
  readonly given: readonly Uint8Array[];
  readonly wanted: readonly Uint8Array[];
  /** When it was signed, in ms; NaN if that cannot be read. Undefined if the scheme has no time. */
  readonly at?: number;
  readonly identity: Identity;
}

/** The header of each scheme. */
const headerOf: Readonly<Record<SignatureScheme, string>> = {
  github: 'X-Hub-Signature-256',
  standard: 'webhook-signature',
  stripe: 'Stripe-Signature',
  slack: 'X-Slack-Signature',
  hmac_sha256: 'X-Signature',
  bearer: 'Authorization',
};

function claimOf(
  { signature: scheme, secret, header_name }: Pick<WebhookSettings, 'signature' | 'secret' | 'header_name'>,
  { headers, body }: SignedRequest,
): Claim {
  const said = headers.get(header_name ?? headerOf[scheme]) ?? '';
  const signed = (...before: readonly string[]) => hmac(Buffer.from(secret), [...before, body]);
  const bodyId = `body:${hex(body)}`;
  switch (scheme) {
    case 'github':
    case 'hmac_sha256':
      return { given: digests([said.replace(/^sha256=/i, '')]), wanted: [signed()], identity: { id: bodyId } };
    case 'slack': {
      const time = headers.get('X-Slack-Request-Timestamp') ?? '';
      const given = digests(said.startsWith('v0=') ? [said.slice(3)] : []);
      const wanted = [signed(`v0:${time}:`)];
      return { given, wanted, at: millisecondsOf(time), identity: { id: bodyId, within: repetition } };
    }
    case 'stripe': {
      const parts = said.split(',').map((part) => part.trim());
      const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
      const given = digests(parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3)));
      const wanted = [signed(`${time}.`)];
      return { given, wanted, at: millisecondsOf(time), identity: { id: bodyId, within: repetition } };
    }
    case 'standard': {
      const [id, time] = [headers.get('webhook-id') ?? '', headers.get('webhook-timestamp') ?? ''];
      const parts = said.split(' ').filter((part) => part.startsWith('v1,'));
      const wanted = standardKeys(secret).map((key) => hmac(key, [`${id}.${time}.`, body]));
      const given = digests(parts.map((part) => part.slice(3)));
      return { given: id === '' ? [] : given, wanted, at: millisecondsOf(time), identity: { id: `id:${hex(id)}` } };
    }
    case 'bearer': {
      const token = header_name === undefined ? (/^Bearer +(\S+) *$/i.exec(said)?.[1] ?? '') : said;
      const id = deliveryIds.map((name) => headers.get(name) ?? '').find((found) => found !== '');
      const identity = id === undefined ? { id: bodyId, within: repetition } : { id: `id:${hex(id)}` };
      // Of equal length, so that the comparison does not tell how long the secret is.
      return { given: [sha256(token)], wanted: [sha256(secret)], identity };
    }
  }
}

/** Who has the secret may call a delivery what they like. */
const deliveryIds = ['Idempotency-Key', 'webhook-id', 'X-GitHub-Delivery'];

/** More signatures than this are not tried: a sender that changes its secret has two. */
const mostSignatures = 8;

/** Those that are a digest of 32 bytes, in hexadecimal or base64. */
function digests(texts: readonly string[]): readonly Uint8Array[] {
  return texts.slice(0, mostSignatures).flatMap((text) => {
    const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
    return bytes.length === 32 ? [bytes] : [];
  });
}

/** The secrets of Standard Webhooks are base64, with `whsec_` before them or without; some senders use them as they are. */
function standardKeys(secret: string): readonly Uint8Array[] {
  const written = secret.replace(/^whsec_/, '');
  return [Buffer.from(written, 'base64'), Buffer.from(secret)];
}

/** Seconds since 1970 as digits, in ms; NaN for anything else. */
function millisecondsOf(seconds: string): number {
  return /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1000 : Number.NaN;
}

function hmac(key: Uint8Array, parts: readonly (string | Uint8Array)[]): Uint8Array {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
}

function sha256(content: string | Uint8Array): Uint8Array {
  return createHash('sha256').update(content).digest();
}

function hex(content: string | Uint8Array): string {
  return Buffer.from(sha256(content)).toString('hex');
}
