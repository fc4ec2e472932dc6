import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Gateway } from './gateway.ts';
import type { SentEvent, Session } from './session.ts';

export const opcodes = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  resume: 6,
  reconnect: 7,
  members: 8,
  invalidSession: 9,
  hello: 10,
  acknowledge: 11,
} as const;

const mostSends = 120;
const largestPayload = 4096;

const payloadForm = z.looseObject({ op: z.number().int(), d: z.unknown().optional() });
const identifyForm = z.looseObject({
  token: z.string(),
  intents: z.number().int(),
  properties: z.looseObject({}),
  shard: z.tuple([z.number(), z.number()]).optional(),
});
const resumeForm = z.looseObject({ token: z.string(), session_id: z.string(), seq: z.number().int() });

/** One WebSocket of the bot. */
export class GatewayConnection {
  readonly #gateway: Gateway;
  readonly #socket: WebSocket;
  readonly #sends: number[] = [];
  /** Where it was made to. */
  readonly path: string;
  session: Session | undefined;

  constructor(gateway: Gateway, socket: WebSocket, path: string) {
    this.#gateway = gateway;
    this.#socket = socket;
    this.path = path;
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('close', (code) => gateway.lost(this, code));
    // What breaks is closed afterwards.
    socket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(op: number, data: unknown = null): void {
    this.#write({ op, d: data, s: null, t: null });
  }

  sendFrame(frame: unknown): void {
    if (this.isOpen) this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  close(code: number, reason = ''): void {
    this.#socket.close(code, reason);
  }

  /** Breaks without a word. */
  drop(): void {
    this.#socket.terminate();
  }

  /** From now on the events of the session go here; first those that it missed. */
  attach(session: Session, missed: readonly SentEvent[] = []): void {
    this.session = session;
    session.lostAt = undefined;
    for (const event of missed) this.#write(event);
    session.deliver = (event) => this.#write(event);
  }

  #write(payload: object): void {
    if (this.isOpen && !this.#gateway.isSilent) this.#socket.send(JSON.stringify(payload));
  }

  #receive(text: string): void {
    if (this.#gateway.isSilent) {
      this.#gateway.unheard += 1;
      this.#gateway.changed();
      return;
    }
    const payload = text.length > largestPayload ? undefined : payloadForm.safeParse(parseJson(text)).data;
    if (payload === undefined) {
      this.close(4002, 'Error while decoding payload.');
      return;
    }
    if (this.#isTooFast()) {
      this.close(4008, 'Rate limited.');
      return;
    }
    this.#obey(payload.op, payload.d);
    this.#gateway.changed();
  }

  #obey(op: number, data: unknown): void {
    switch (op) {
      case opcodes.heartbeat:
        if (typeof data === 'number') this.session?.confirm(data);
        this.#gateway.beat(this);
        return;
      case opcodes.identify:
        this.#identify(data);
        return;
      case opcodes.resume:
        this.#resume(data);
        return;
      case opcodes.presence:
      case opcodes.members:
        if (this.session === undefined) this.close(4003, 'Not authenticated.');
        return;
      default:
        this.close(4001, 'Unknown opcode.');
    }
  }

  #identify(data: unknown): void {
    if (this.session !== undefined) {
      this.close(4005, 'Already authenticated.');
      return;
    }
    const form = identifyForm.safeParse(data);
    if (!form.success) {
      this.close(4002, 'Error while decoding payload.');
      return;
    }
    const [shard, count] = form.data.shard ?? [0, 1];
    if (shard !== 0 || count !== 1) {
      this.close(4010, 'Invalid shard.');
      return;
    }
    this.#gateway.identify(this, form.data);
  }

  #resume(data: unknown): void {
    const form = resumeForm.safeParse(data);
    if (!form.success) {
      this.close(4002, 'Error while decoding payload.');
      return;
    }
    const { token, session_id: sessionId, seq: sequence } = form.data;
    this.#gateway.resume(this, { token, sessionId, sequence });
  }

  #isTooFast(): boolean {
    const { now, times } = this.#gateway;
    const at = now();
    while ((this.#sends[0] ?? at) < at - times.gatewaySends) this.#sends.shift();
    this.#sends.push(at);
    return this.#sends.length > mostSends;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
