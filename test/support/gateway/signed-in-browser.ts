import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { isJsonObject, type JsonValue, parseJson } from '../../../src/lib/json.ts';
import { DeviceClient } from './device-client.ts';

/** What goes along with a request. An empty text leaves out a header that would be sent. */
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number;
  readonly body: JsonValue;
}

/** A browser in which somebody has signed in with a link, as far as its requests go: each header by hand. */
export class SignedInBrowser {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly cookie: string;
  readonly key: string;

  constructor(origin: string, cookie: string, key: string) {
    this.origin = origin;
    this.cookie = cookie;
    this.key = key;
  }

  /** Both halves of what proves it. */
  get proof(): Readonly<Record<string, string>> {
    return { Cookie: `keyturn_session=${this.cookie}`, 'X-Keyturn-Key': this.key };
  }

  /** Sends these headers and no others. */
  async send(path: string, sent: Sent = {}): Promise<Answered> {
    return (await answerOf(this.origin, path, sent)).answered;
  }

  /** As the page does. */
  ask(path: string, { headers = {}, ...sent }: Sent = {}): Promise<Answered> {
    const own = { ...this.proof, Origin: this.origin, 'Sec-Fetch-Site': 'same-origin' };
    return this.send(path, { ...sent, headers: { ...own, ...headers } });
  }

  async ticket(): Promise<string> {
    const { body } = await this.ask('/api/ticket', { method: 'POST' });
    if (!isJsonObject(body) || typeof body.ticket !== 'string') throw new Error(JSON.stringify(body));
    return body.ticket;
  }

  /** Opens a socket with a ticket, which is closed with the test. */
  open(ticket: string, headers: Readonly<Record<string, string>> = { Origin: this.origin }): DeviceClient {
    const client = new DeviceClient(this.origin, { query: `ticket=${ticket}`, headers });
    onTestFinished(() => client.socket.terminate());
    return client;
  }

  async greeted(): Promise<DeviceClient> {
    return this.open(await this.ticket()).greet();
  }
}

/** Signs in with a link to the page. */
export async function signIn(
  link: URL,
  userAgent = 'Mozilla/5.0 (X11; Linux) Firefox/140.0',
): Promise<SignedInBrowser> {
  const headers = { Origin: link.origin, 'Content-Type': 'application/json', 'User-Agent': userAgent };
  const body = JSON.stringify({ ticket: link.hash.replace('#ticket=', '') });
  const { response, answered } = await answerOf(link.origin, '/signin', { method: 'POST', headers, body });
  const [cookie = ''] = response.headers['set-cookie'] ?? [];
  const [, half] = new RegExp(`^keyturn_session_${link.port}=([0-9a-f]+);`).exec(cookie) ?? [];
  const { key } = isJsonObject(answered.body) ? answered.body : {};
  if (half === undefined || typeof key !== 'string') throw new Error(JSON.stringify(answered));
  return new SignedInBrowser(link.origin, half, key);
}

async function answerOf(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body }: Sent,
): Promise<{ readonly response: IncomingMessage; readonly answered: Answered }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { hostname, port } = new URL(origin);
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const all = { Host: `${hostname}:${port}`, ...length, ...headers };
  request({ host: hostname, port, path, method, headers: all }, resolve).on('error', reject).end(body);
  const response = await promise;
  const read = await text(response);
  return { response, answered: { status: response.statusCode ?? 0, body: parseJson(read) ?? read } };
}
