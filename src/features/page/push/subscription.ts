import { isJsonObject, type JsonValue } from '../../../lib/json.ts';
import { isPointOfCurve } from './encrypt.ts';

/** Where a browser takes messages while no tab is open, and for whom they are encrypted. In base64url. */
export interface Subscription {
  /** Of the push service of its maker, and secret: who knows it can try to send there. */
  readonly endpoint: string;
  /** The public key of the browser. */
  readonly p256dh: string;
  /** What only it and we know. */
  readonly auth: string;
}

const longestEndpoint = 2_000;
/** In bytes. */
const authLength = 16;

/** As a browser writes its own as JSON. Undefined if it cannot be one. */
export function readSubscription(body: JsonValue): Subscription | undefined {
  if (!isJsonObject(body) || !isJsonObject(body.keys)) return undefined;
  const { endpoint } = body;
  const { p256dh, auth } = body.keys;
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string') return undefined;
  const url = endpoint.length > longestEndpoint ? null : URL.parse(endpoint);
  if (url?.protocol !== 'https:') return undefined;
  if (p256dh.length > 100 || !isPointOfCurve(Buffer.from(p256dh, 'base64url'))) return undefined;
  if (auth.length > 40 || Buffer.from(auth, 'base64url').length !== authLength) return undefined;
  return { endpoint: url.href, p256dh, auth };
}
