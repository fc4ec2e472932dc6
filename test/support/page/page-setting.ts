import { onTestFinished } from 'vitest';
import { isJsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../daemon-setting.ts';

/** A browser that has signed in, without its screen. */
export class SignedIn {
  readonly origin: string;
  readonly cookie: string;
  readonly key: string;

  constructor(origin: string, { cookie, key }: { readonly cookie: string; readonly key: string }) {
    this.origin = origin;
    this.cookie = cookie;
    this.key = key;
  }

  /** Both halves, as the page sends them. */
  get proof(): Readonly<Record<string, string>> {
    return { Cookie: `keyturn_session_1=${this.cookie}`, 'X-Keyturn-Key': this.key };
  }

  /** `GET /page/PATH`. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.origin}/page/${path}`, { headers: { ...this.proof, ...headers } });
  }

  /** `POST /page/PATH`. */
  post(path: string, body: JsonValue = {}, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.origin}/page/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...this.proof, Origin: this.origin, 'Content-Type': 'application/json', ...headers },
    });
  }
}

/** A whole daemon whose page people open by links from their chats. Ada owns it. */
export class PageSetting {
  readonly daemon: DaemonSetting;

  constructor(daemon: DaemonSetting) {
    this.daemon = daemon;
  }

  /** The link that `/web` shows in the person's own chat. */
  async link(by = 'ada'): Promise<URL> {
    const { channel } = this.daemon;
    channel.clear();
    await channel.say('/web', { by });
    const { text } = await channel.sees('#ticket=');
    const [url] = /http\S+#ticket=\w+/.exec(text) ?? [];
    if (url === undefined) throw new Error(`no link in: ${text}`);
    return new URL(url);
  }

  /** Redeems a ticket as the page does. */
  signIn({ origin, hash }: URL, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${origin}/signin`, {
      method: 'POST',
      body: JSON.stringify({ ticket: ticketIn(hash) }),
      headers: { Origin: origin, 'Content-Type': 'application/json', ...headers },
    });
  }

  /** A browser of this person. */
  async browser(by = 'ada'): Promise<SignedIn> {
    const link = await this.link(by);
    return signedIn(link.origin, await this.signIn(link));
  }

  /** The same where the link leads to another machine: at this address. */
  async browserAt(origin: string, by = 'ada'): Promise<SignedIn> {
    return signedIn(origin, await this.signIn(new URL((await this.link(by)).hash, origin)));
  }
}

export function ticketIn(hash: string): string {
  return hash.replace('#ticket=', '');
}

/** What a good answer to a ticket gives. */
export async function signedIn(origin: string, response: Response): Promise<SignedIn> {
  const body: unknown = await response.json();
  const [, cookie] = /^keyturn_session_\d+=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (!isJsonObject(body) || typeof body.key !== 'string' || cookie === undefined)
    throw new Error(`not signed in: ${response.status} ${JSON.stringify(body)}`);
  return new SignedIn(origin, { cookie, key: body.key });
}

/** A program of Ada's, as it pairs by the code from her chat. */
export async function paired({ daemon }: PageSetting): Promise<{ readonly id: string; readonly token: string }> {
  await daemon.channel.say('/device phone', { by: 'ada' });
  const spelled = /`([a-z0-9]{4}-[a-z0-9]{4})`/;
  const [, code = ''] = spelled.exec((await daemon.channel.sees(spelled)).text) ?? [];
  const answer = await fetch(`${daemon.gatewayAddress}/pair`, { method: 'POST', headers: { 'X-Pairing-Code': code } });
  const body: unknown = await answer.json();
  return isJsonObject(body) ? { id: String(body.device_id), token: String(body.token) } : { id: '', token: '' };
}

/** Without a gateway in the config, at a port of its own. */
export async function pageSetting({ config = {}, ...options }: DaemonSettingOptions = {}): Promise<PageSetting> {
  const { gateway } = config;
  const daemon = await daemonSetting({
    allowFrom: ['bob'],
    ...options,
    config: { ...config, gateway: { port: 0, ...(isJsonObject(gateway) ? gateway : {}) } },
  });
  onTestFinished(() => daemon.stop());
  return new PageSetting(daemon);
}
