/*
 * Encrypts what a push service passes on, so that only the browser can read it: RFC 8291, with the coding `aes128gcm` of
 * RFC 8188. Each message has a key pair and a salt of its own.
 */

import { createCipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/** Of the browser, decoded. */
export interface ReaderKeys {
  /** Its public key, uncompressed: 65 bytes. */
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

/** What is used for one message alone. */
export interface MessageSecrets {
  /** With a key pair. */
  readonly sender: ECDH;
  /** 16 bytes. */
  readonly salt: Uint8Array;
}

/** As all implementations say: much more than one of our messages has. */
const recordSize = 4_096;
/** Behind the text of the last record. */
const lastRecord = Buffer.of(2);

/** The body of a request, with the header of its coding. The text is shorter than one record. */
export function encrypted(text: string, reader: ReaderKeys, secrets: MessageSecrets = newSecrets()): Buffer {
  const { sender, salt } = secrets;
  const own = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), reader.p256dh, own]);
  const shared = derived(sender.computeSecret(reader.p256dh), { salt: reader.auth, info, length: 32 });
  const key = derived(shared, { salt, info: Buffer.from('Content-Encoding: aes128gcm\0'), length: 16 });
  const nonce = derived(shared, { salt, info: Buffer.from('Content-Encoding: nonce\0'), length: 12 });
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const record = [cipher.update(text, 'utf8'), cipher.update(lastRecord), cipher.final(), cipher.getAuthTag()];
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(recordSize);
  sizes.writeUInt8(own.length, 4);
  return Buffer.concat([salt, sizes, own, ...record]);
}

/** Whether these bytes are a public key of the curve, uncompressed: others must not be computed with. */
export function isPointOfCurve(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((half) => half.toString('base64url'));
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    return true;
  } catch {
    // It is not on the curve.
    return false;
  }
}

function newSecrets(): MessageSecrets {
  const sender = createECDH('prime256v1');
  sender.generateKeys();
  return { sender, salt: randomBytes(16) };
}

interface Derivation {
  readonly salt: Uint8Array;
  readonly info: Uint8Array;
  readonly length: number;
}

function derived(from: Uint8Array, { salt, info, length }: Derivation): Buffer {
  return Buffer.from(hkdfSync('sha256', from, salt, info, length));
}
