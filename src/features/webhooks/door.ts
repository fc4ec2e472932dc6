/*
 * `POST /hook/NAME`: the body is read, the signature is checked, and only then anything else is said. Whoever lacks the
 * secret gets the same answer for every name, known or not. A delivery is stored before it is answered with 202; one
 * that was stored before is answered with 202, too, and not done again.
 */

import { randomBytes } from 'node:crypto';
import { principalOf } from '../../contract.ts';
import { noticeTo, quietly } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { taintSource } from '../../tools/taint-sources.ts';
import { readPayload, webhookEvent, webhookNotice } from './payload.ts';
import { enabledWebhooks, type WebhookSettings, webhooksSettings } from './settings.ts';
import { prove } from './signature.ts';
import type { WebhookStore } from './tables.ts';
import type { Refusal, Tally } from './tally.ts';

type DoorParts = Pick<
  FeatureCore,
  'settings' | 'clock' | 'log' | 'deliver' | 'wake' | 'redact' | 'ending' | 'crashPoint'
> & { readonly webhooks: WebhookStore; readonly tally: Tally };

/** The bodies that are being read may have so many bytes together. */
const mostHeld = 33_554_432;
/** When a caller should try again what could not be stored, in seconds. */
const storeAgain = 30;

interface DoorContext {
  readonly parts: DoorParts;
  readonly own: Parameters<typeof enabledWebhooks>[0];
  /** The bodies that are being read. */
  readonly held: { bytes: number };
  /** Checked where no webhook has the name, so that it takes the same time. */
  readonly nobody: Pick<WebhookSettings, 'signature' | 'secret' | 'header_name'>;
}

/** Answers requests to `/hook/…`. */
export function createDoor(parts: DoorParts): (request: Request) => Promise<Response> {
  const door: DoorContext = {
    parts,
    own: parts.settings(webhooksSettings),
    held: { bytes: 0 },
    nobody: { signature: 'hmac_sha256', secret: randomBytes(32).toString('hex'), header_name: undefined },
  };
  return (request) => answer(request, door);
}

async function answer(request: Request, { parts, own, held, nobody }: DoorContext): Promise<Response> {
  const { clock, tally, ending } = parts;
  const name = /^\/hook\/([a-z][a-z0-9_-]{0,47})$/.exec(new URL(request.url).pathname)?.[1];
  const all = [...enabledWebhooks(own).values()];
  if (name === undefined || request.method !== 'POST' || all.length === 0) return refuse(404, 'There is nothing here.');
  if (ending.aborted) return refuse(503, 'Keyturn is ending.', 5);
  const body = await readWithin(request, Math.max(...all.map((one) => one.max_bytes)), held);
  switch (body.type) {
    case 'too-long':
      return refuse(413, told['too-long']);
    case 'crowded':
      return refuse(503, 'Too much is being sent at a time.', 1);
    case 'broken':
      return refuse(400, 'The body did not come to its end.');
    case 'read':
      break;
  }
  // Read now: an edit while the body came in holds.
  const settings = enabledWebhooks(own).get(name);
  const proof = prove(settings ?? nobody, { headers: request.headers, body: body.bytes }, clock.now());
  if (settings === undefined || proof.type !== 'good') {
    if (settings !== undefined) tally.refused(name, proof.type === 'late' ? 'late' : 'wrong-signature');
    return refuse(401, 'There is no such webhook, or its signature is not right.');
  }
  return take(name, settings, { request, bytes: body.bytes, identity: proof.identity }, parts);
}

/** What a caller with the secret is told. Programs read it. */
const told: Readonly<Record<Exclude<Refusal, 'late' | 'wrong-signature'>, string>> = {
  'too-long': 'The body is too long.',
  compressed: 'The body is compressed: send it as it is.',
  'not-utf8': 'The body is not UTF-8.',
  'not-json': 'The body is not JSON.',
  'too-deep': 'The JSON is nested too deeply.',
  'too-many': 'Too many deliveries in a minute.',
  'not-stored': 'It could not be stored. Send it again later.',
  'no-chat': 'The chat of this webhook is not known yet: somebody has to write to Keyturn there.',
};

interface Refused {
  readonly name: string;
  readonly status: number;
  readonly why: keyof typeof told;
  /** In seconds. */
  readonly retryAfter?: number;
}

/** The answer to a caller with the secret, which is counted. */
function refused({ name, status, why, retryAfter }: Refused, tally: Tally): Response {
  tally.refused(name, why);
  return refuse(status, told[why], retryAfter);
}

interface Delivery {
  readonly request: Request;
  readonly bytes: Uint8Array;
  readonly identity: { readonly id: string; readonly within?: number };
}

/** Deliveries that change nothing have a limit of their own: one that is sent again and again keeps no new one out. */
const idleShare = 10;

/** The caller has the secret. */
async function take(
  name: string,
  settings: WebhookSettings,
  { request: { headers }, bytes, identity }: Delivery,
  parts: DoorParts,
): Promise<Response> {
  const { tally } = parts;
  if (bytes.length > settings.max_bytes) return refused({ name, status: 413, why: 'too-long' }, tally);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return refused({ name, status: 415, why: 'compressed' }, tally);
  const payload = readPayload(settings, bytes, headers.get('content-type') ?? '');
  switch (payload.type) {
    case 'odd':
      return refused({ name, status: 400, why: payload.why }, tally);
    case 'ignored':
      return idle('ignored', name, settings, tally);
    case 'read':
      return store(name, settings, { ...payload, identity: payload.id ? { id: `id:${payload.id}` } : identity }, parts);
  }
}

/** The answer to what changes nothing. */
function idle(
  status: 'ignored' | 'already taken',
  name: string,
  { max_per_minute }: WebhookSettings,
  tally: Tally,
): Response {
  const wait = tally.take(name, 'idle', idleShare * max_per_minute);
  return wait > 0 ? tooMany(name, wait, tally) : Response.json({ status }, { status: 202 });
}

/** `wait`: in ms. */
function tooMany(name: string, wait: number, tally: Tally): Response {
  return refused({ name, status: 429, why: 'too-many', retryAfter: Math.ceil(wait / 1000) }, tally);
}

interface ReadDelivery extends Pick<Delivery, 'identity'> {
  readonly fields: Parameters<typeof webhookEvent>[2];
}

async function store(
  name: string,
  settings: WebhookSettings,
  { fields: sent, identity }: ReadDelivery,
  parts: DoorParts,
): Promise<Response> {
  const { webhooks, clock, tally, redact, deliver, wake, crashPoint } = parts;
  const { chat, prompt, private: isPrivate, max_per_minute } = settings;
  const draft = { name, chat, identity, isPrivate, at: clock.now() };
  const isKnown = await webhooks.isKnown(draft).catch((err: unknown) => notStored(err, name, parts));
  if (isKnown === true) return idle('already taken', name, settings, tally);
  const wait = tally.take(name, 'new', max_per_minute);
  if (wait > 0) return tooMany(name, wait, tally);
  const fields = sent.map(({ name: field, text }) => ({ name: field, text: text === undefined ? text : redact(text) }));
  const delivery = {
    ...draft,
    principal: principalOf('webhook', name),
    event: webhookEvent(name, prompt, fields),
    notice: quietly(noticeTo({}, webhookNotice(name, fields))),
    source: taintSource('webhook', name),
  };
  const taken =
    isKnown === undefined
      ? undefined
      : await webhooks.take(delivery).catch((err: unknown) => notStored(err, name, parts));
  switch (taken?.type) {
    case undefined:
      return refused({ name, status: 503, why: 'not-stored', retryAfter: storeAgain }, tally);
    case 'no-chat':
      return refused({ name, status: 503, why: 'no-chat', retryAfter: 600 }, tally);
    case 'repeated':
      // The same came twice at a time.
      tally.giveBack(name);
      return idle('already taken', name, settings, tally);
    case 'taken':
      crashPoint?.('message-stored');
      deliver([taken.conversationId]);
      wake([taken.conversationId]);
      return Response.json({ status: 'taken' }, { status: 202 });
  }
}

function notStored(err: unknown, webhook: string, { log }: DoorParts): undefined {
  log.error({ err, webhook }, 'a delivery could not be stored; its sender is told to try again');
}

function refuse(status: number, error: string, retryAfter?: number): Response {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  return Response.json({ error }, { status, headers });
}

type Body =
  | { readonly type: 'read'; readonly bytes: Uint8Array }
  | { readonly type: 'too-long' | 'crowded' | 'broken' };

/** So much of a body that is too long is read and forgotten, so that its sender hears why: this often what is allowed. */
const farTooLong = 4;

/** Reads the body, with or without a `Content-Length`. Holds no more than `most` of it. */
async function readWithin({ headers, body }: Request, most: number, held: { bytes: number }): Promise<Body> {
  if (Number(headers.get('content-length') ?? 0) > most * farTooLong) return { type: 'too-long' };
  const chunks: Uint8Array[] = [];
  let [size, kept] = [0, 0];
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > most * farTooLong) break;
      if (size > most) continue;
      kept += chunk.byteLength;
      held.bytes += chunk.byteLength;
      if (held.bytes > mostHeld) return { type: 'crowded' };
      chunks.push(chunk);
    }
    return size > most ? { type: 'too-long' } : { type: 'read', bytes: Buffer.concat(chunks) };
  } catch {
    // The caller is gone, or too slow: the server has ended the connection.
    return { type: 'broken' };
  } finally {
    held.bytes -= kept;
  }
}
