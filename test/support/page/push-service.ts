import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { trustCertificates } from '../../../src/lib/network/certificates/certificates.ts';
import { closeServer, listenOnLoopback } from '../loopback.ts';
import { tlsFile, tlsServer } from '../tls-server.ts';

interface Taken {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service of this machine, over TLS. */
export class PushService {
  readonly taken: Taken[] = [];
  readonly port: number;
  /** What it answers; `hangs`: nothing. */
  status: number | 'hangs' = 201;

  private constructor(port: number) {
    this.port = port;
  }

  /** The daemon trusts its certificate until the test is finished. */
  static async open(): Promise<PushService> {
    const server = tlsServer('company', async (request, response) => {
      const body = await buffer(request);
      service.taken.push({ path: request.url ?? '', headers: request.headers, body });
      if (service.status === 'hangs') return;
      // Whoever follows it asks for another path.
      response.writeHead(service.status, { location: '/elsewhere' }).end('taken');
    });
    const service = new PushService(await listenOnLoopback(server));
    trustCertificates([tlsFile('authority.pem')]);
    onTestFinished(async () => {
      trustCertificates([]);
      await closeServer(server);
    });
    return service;
  }

  /** What it has taken last. */
  get newest(): Taken {
    const newest = this.taken.at(-1);
    if (newest === undefined) throw new Error('nothing was sent');
    return newest;
  }

  /** As in `tools.network.allow_private`. */
  get host(): string {
    return `localhost:${this.port}`;
  }
}

/** The part of a browser that subscribes and reads. */
export class PushReader {
  readonly endpoint: string;
  readonly #own: ECDH = createECDH('prime256v1');
  readonly #auth: Buffer;

  constructor(
    endpoint: string,
    { privateKey, auth = Buffer.alloc(16, 7) }: { privateKey?: Buffer; auth?: Buffer } = {},
  ) {
    this.endpoint = endpoint;
    this.#auth = auth;
    if (privateKey === undefined) this.#own.generateKeys();
    else this.#own.setPrivateKey(privateKey);
  }

  /** What it tells the page, as `PushSubscription.toJSON` writes it. */
  get subscription() {
    const keys = { p256dh: this.#own.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
    return { endpoint: this.endpoint, expirationTime: null, keys };
  }

  /** By RFC 8291. Throws if it was not meant for this browser. */
  read(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const idLength = body.readUInt8(20);
    const sender = body.subarray(21, 21 + idLength);
    const record = body.subarray(21 + idLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#own.getPublicKey(), sender]);
    const shared = Buffer.from(hkdfSync('sha256', this.#own.computeSecret(sender), this.#auth, info, 32));
    const key = Buffer.from(hkdfSync('sha256', shared, salt, 'Content-Encoding: aes128gcm\0', 16));
    const nonce = Buffer.from(hkdfSync('sha256', shared, salt, 'Content-Encoding: nonce\0', 12));
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(record.subarray(-16));
    const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    return text.subarray(0, text.lastIndexOf(2)).toString();
  }
}

/** What a push service reads of `Authorization`, by RFC 8292. Throws if it is not signed by the key that it names. */
export function claimsIn(authorization = ''): {
  readonly key: string;
  readonly claims: Readonly<Record<string, unknown>>;
} {
  const [, token = '', key = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(authorization) ?? [];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const signed = Buffer.from(`${header}.${claims}`);
  const isGood = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isGood) throw new Error('the signature is not of the key');
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) };
}
