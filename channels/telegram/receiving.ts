import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Api, type RawApi } from 'grammy';
import { z } from 'zod';
import { expectShape, toClientSignal } from './client.ts';

/** Which bot the token belongs to. */
export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/** Where a file lies on the server. */
export interface FilePlace {
  /** Missing where the server cannot give the file. */
  readonly file_path?: string | undefined;
  /** In bytes. */
  readonly file_size?: number | undefined;
}

/** What is read. Everything else Telegram keeps to itself. */
const allowedUpdates = ['message', 'edited_message', 'callback_query', 'stopped_message_generation'] as const;

/** The client's own limit stands behind our watchdog, which follows the injected clock. */
const clientGraceSecs = 60;
const updatesAtOnce = 100;

const identityShape = z.object({ id: z.number(), username: z.string() });
const updatesShape = z.array(z.unknown());
const webhookShape = z.object({ pending_update_count: z.number() });
const fileShape = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });

/** The calls with which we learn something. Nothing is tried twice here. Throws what `readFailure` reads. */
export class ReceivingApi {
  readonly #connect: () => Connection;
  #connection: Connection;

  constructor(options: {
    readonly token: string;
    readonly apiRoot: string;
    readonly pollTimeoutSecs: number;
    readonly requestTimeoutSecs: number;
  }) {
    const { token, apiRoot, pollTimeoutSecs, requestTimeoutSecs } = options;
    this.#connect = () => {
      const agent = apiRoot.startsWith('https:')
        ? new HttpsAgent({ keepAlive: true })
        : new HttpAgent({ keepAlive: true });
      const client = (timeoutSeconds: number): RawApi =>
        new Api(token, { apiRoot, timeoutSeconds, baseFetchConfig: { agent } }).raw;
      return { agent, polling: client(pollTimeoutSecs + clientGraceSecs), asking: client(requestTimeoutSecs) };
    };
    this.#connection = this.#connect();
  }

  /** Leaves the connections that there are, and takes new ones from now on. */
  renew(): void {
    this.#connection.agent.destroy();
    this.#connection = this.#connect();
  }

  async getMe(signal: AbortSignal): Promise<BotIdentity> {
    return expectShape(identityShape, await this.#connection.asking.getMe(toClientSignal(signal)), 'getMe');
  }

  /** Ends a webhook, which would keep updates from us. What has come in meanwhile is kept. */
  async deleteWebhook(signal: AbortSignal): Promise<void> {
    await this.#connection.asking.deleteWebhook({ drop_pending_updates: false }, toClientSignal(signal));
  }

  /** Waits up to `timeout` seconds for updates. Confirms all below the offset. What comes is not checked. */
  async getUpdates(offset: number | undefined, timeout: number, signal: AbortSignal): Promise<readonly unknown[]> {
    const request = {
      timeout,
      limit: updatesAtOnce,
      allowed_updates: allowedUpdates,
      ...(offset !== undefined && { offset }),
    };
    const updates = await this.#connection.polling.getUpdates(request, toClientSignal(signal));
    return expectShape(updatesShape, updates, 'getUpdates');
  }

  /** How many updates wait for us. */
  async countPending(signal: AbortSignal): Promise<number> {
    const info = await this.#connection.asking.getWebhookInfo(toClientSignal(signal));
    return expectShape(webhookShape, info, 'getWebhookInfo').pending_update_count;
  }

  async getFile(fileId: string, signal: AbortSignal): Promise<FilePlace> {
    const file = await this.#connection.asking.getFile({ file_id: fileId }, toClientSignal(signal));
    return expectShape(fileShape, file, 'getFile');
  }
}

interface Connection {
  readonly agent: HttpAgent | HttpsAgent;
  readonly polling: RawApi;
  readonly asking: RawApi;
}
