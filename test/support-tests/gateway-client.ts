import { WebSocket } from 'ws';
import { z } from 'zod';
import type { DiscordServer } from '../support/discord-server.ts';
import { Changes, type Found } from '../support/wait-for.ts';
import { allIntents } from './discord-client.ts';

const payloadForm = z.object({
  op: z.number(),
  d: z.unknown(),
  s: z.number().nullable(),
  t: z.string().nullable(),
});
type Payload = z.output<typeof payloadForm>;
const readyForm = z.looseObject({ session_id: z.string(), resume_gateway_url: z.string() });
const contentForm = z.looseObject({ content: z.string() });

const all = allIntents.reduce((sum, bit) => sum | bit, 0);

/** The bot's side of the gateway by hand: it does nothing that it is not told to. */
export class GatewayClient {
  readonly #socket: WebSocket;
  readonly #changes = new Changes();
  readonly payloads: Payload[] = [];
  /** What is no payload at all. */
  readonly broken: string[] = [];
  /** How it was closed; 1006 if it just broke. */
  closed: number | undefined;

  constructor(url: string) {
    this.#socket = new WebSocket(`${url}?v=10&encoding=json`);
    this.#socket.on('message', (data) => {
      const payload = payloadForm.safeParse(parseJson(String(data)));
      if (payload.success) this.payloads.push(payload.data);
      else this.broken.push(String(data));
      this.#changes.notify();
    });
    this.#socket.on('close', (code) => {
      this.closed = code;
      this.#changes.notify();
    });
    this.#socket.on('error', () => undefined);
  }

  static async connect(discord: DiscordServer): Promise<GatewayClient> {
    const client = new GatewayClient(`${discord.apiUrl.replace('http', 'ws').replace('/api', '')}/gw/`);
    await client.waitFor(() => client.closed ?? client.of(10).at(0), 'HELLO');
    return client;
  }

  /** Connects, and has a session. */
  static async ready(discord: DiscordServer, intents = all): Promise<GatewayClient> {
    const client = await GatewayClient.connect(discord);
    client.identify(discord.token, intents);
    await client.waitFor(() => client.events('READY').at(0), 'READY');
    return client;
  }

  identify(token: string, intents = all): void {
    this.send(2, { token, intents, properties: {}, shard: [0, 1] });
  }

  /** A new connection that asks for what came after an event. */
  async resume(token: string, sequence = this.sequence): Promise<GatewayClient> {
    const { session_id, resume_gateway_url: url } = readyForm.parse(this.events('READY')[0]?.d);
    const next = new GatewayClient(url);
    await next.waitFor(() => next.of(10).at(0), 'HELLO');
    next.send(6, { token, session_id, seq: sequence });
    await next.waitFor(() => next.closed ?? next.events('RESUMED').at(0) ?? next.of(9).at(0), 'an answer to RESUME');
    return next;
  }

  send(op: number, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  get sequence(): number {
    return this.payloads.findLast(({ s }) => s !== null)?.s ?? 0;
  }

  of(op: number): readonly Payload[] {
    return this.payloads.filter((payload) => payload.op === op);
  }

  events(type: string): readonly Payload[] {
    return this.payloads.filter(({ t }) => t === type);
  }

  /** What the messages say that were told of. */
  get contents(): readonly string[] {
    return this.events('MESSAGE_CREATE').map(({ d }) => contentForm.parse(d).content);
  }

  /** Resolves with the code of the close. */
  whenClosed(): Promise<number> {
    return this.waitFor(() => this.closed, 'the connection to close');
  }

  /** Resolves when it was told of a message that says so. */
  async hears(text: string): Promise<void> {
    await this.waitFor(() => this.contents.includes(text), text);
  }

  waitFor<T>(look: () => T, what: string): Promise<Found<T>> {
    return this.#changes.waitFor(look, { what, describe: () => JSON.stringify(this.payloads).slice(0, 2_000) });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
