/* Says to push services who sends: RFC 8292. A browser takes messages of the key alone that it has subscribed with. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** The key that messages are signed with. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  /** Uncompressed, in base64url: what browsers subscribe with. */
  readonly publicKey: string;
}

/** A new one, as it is stored: PKCS #8 in base64url. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url');
}

export function readSigningKey(stored: string): SigningKey {
  const key = Buffer.from(stored, 'base64url');
  const privateKey = createPrivateKey({ key, type: 'pkcs8', format: 'der' });
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return { privateKey, publicKey: Buffer.concat(point).toString('base64url') };
}

export interface Claim {
  readonly endpoint: URL;
  /** Where the operator can be found: an https URL. */
  readonly contact: string;
  /** In ms since 1970. */
  readonly now: number;
}

/** In seconds. Services refuse more than a day. */
const lifetime = 43_200;

/** The header `Authorization` of a message. */
export function authorization({ endpoint, contact, now }: Claim, { privateKey, publicKey }: SigningKey): string {
  const claims = { aud: endpoint.origin, exp: Math.floor(now / 1000) + lifetime, sub: contact };
  const text = [{ typ: 'JWT', alg: 'ES256' }, claims].map(encoded).join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
