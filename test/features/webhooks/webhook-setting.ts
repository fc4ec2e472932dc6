import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type DaemonSettingOptions, daemonSetting, group } from '../../support/daemon-setting.ts';

export const secret = 'a-secret-of-the-sender';

type Settings = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** The webhook `deploy` speaks in the team's group. */
export const deploy = { chat: 'test:team', signature: 'hmac_sha256', secret, fields: ['app', 'status'] };

export function configOf(webhooks: Readonly<Record<string, Settings>>, more: Settings = {}): Settings {
  return { gateway: { enabled: true, port: 0 }, webhooks, ...more };
}

export function hmac(content: string | Uint8Array, key: string | Uint8Array = secret, form: 'hex' | 'base64' = 'hex') {
  return createHmac('sha256', key).update(content).digest(form);
}

/** A daemon whose webhooks are these, and in whose group somebody has spoken. */
export async function webhookSetting(
  webhooks: Readonly<Record<string, Settings>> = { deploy },
  { config = {}, ...options }: DaemonSettingOptions = {},
) {
  const daemon = await daemonSetting({ ...options, config: configOf(webhooks, config) });
  await daemon.channel.ask('hello', 'echo: [Ada] hello', { in: group, at: 'test:team' });
  await daemon.channel.whenIdle(group);

  /** Sends a body. Resolves with the response. */
  function post(path: string, body: NonNullable<RequestInit['body']>, headers: Headers = {}): Promise<Response> {
    return fetch(`${daemon.gatewayAddress}${path}`, { method: 'POST', body, headers });
  }

  return {
    daemon,
    channel: daemon.channel,
    model: daemon.model,
    clock: daemon.clock,
    post,
    /** Sends a body with its HMAC to the webhook. Resolves with the status and what was answered. */
    async send(body: unknown, { to = 'deploy', headers = {}, key = secret }: SendOptions = {}): Promise<Answer> {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return answerOf(await post(`/hook/${to}`, text, { 'X-Signature': hmac(text, key), ...headers }));
    },
    /** A connection to the gateway, by hand. */
    raw(): RawConnection {
      return rawConnection(Number(new URL(daemon.gatewayAddress).port));
    },
    /** What webhooks have stored. */
    deliveries: () => daemon.rows(`SELECT * FROM inbox WHERE key LIKE 'webhook:%' ORDER BY seq`),
  };
}

export interface SendOptions {
  readonly to?: string;
  readonly headers?: Headers;
  readonly key?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: string | null;
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const body: unknown = JSON.parse(text);
  return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
}

export const taken = { status: 202, body: { status: 'taken' } };
export const alreadyTaken = { status: 202, body: { status: 'already taken' } };
export const unauthorized = {
  status: 401,
  body: { error: 'There is no such webhook, or its signature is not right.' },
};

interface RawConnection {
  readonly socket: Socket;
  /** All that was answered, once the other side has closed it. */
  readonly closed: Promise<string>;
}

function rawConnection(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let said = '';
  socket.on('data', (data) => {
    said += String(data);
  });
  socket.on('error', () => {});
  return { socket, closed: new Promise((resolve) => socket.on('close', () => resolve(said))) };
}
