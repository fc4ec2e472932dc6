import type { ChannelHost } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { sleep } from '../../src/lib/clock.ts';
import type { Reception } from '../kit/reception.ts';
import { Socket, type SocketSettings } from './socket.ts';
import { type ConnectFailure, readConnectFailure, readRefusal } from './tokens.ts';

/** The second socket begins so much later than the first, in milliseconds: they are not renewed together. */
const stagger = 20_000;
/** What must be heard from a socket in this time; Slack pings at least every 30 s. In milliseconds. */
const silence = 45_000;
/** How often the sockets are looked at, in milliseconds. */
const beat = 10_000;
/** A socket that breaks sooner counts as a failure, and so does one that Slack renews sooner, in milliseconds. */
const shortLife = { closed: 10_000, farewell: 1_000, refused: 0 } as const;
/** Slack may end so many sockets early before that is met with a pause. */
const toleratedFarewells = 3;
/** After the first failure, in milliseconds. */
const firstPause = 250;
/** How long a socket that Slack wants gone is kept beside its successor, in milliseconds. */
const grace = 3_000;
const crowdPause = 60_000;

/** From the connection that holds the sockets. */
export interface SocketsOwner {
  readonly settings: SocketSettings & { readonly sockets: number };
  readonly host: ChannelHost;
  readonly reception: Reception;
  /** Stores what came. */
  take(body: unknown): Promise<void>;
  /** Only the operator can mend it: the signal aborts. */
  die(reason: string): void;
}

/**
 * Holds sockets open, each in a slot of its own: whatever becomes of one, another is opened in its place, for ever. One that
 * Slack renews is kept until its successor is open, so that there is no instant without any.
 */
export class Sockets {
  readonly #owner: SocketsOwner;
  /** The app that the bot tokens belong to, where that is known. */
  readonly #appId: string | undefined;
  readonly #all = new Set<Socket>();
  /** Why the last one that ended or could not be opened did so, since one was opened. */
  #reason: string | undefined;

  constructor(owner: SocketsOwner, appId: string | undefined) {
    this.#owner = owner;
    this.#appId = appId;
  }

  /** Holds them open until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const closeAll = (): void => {
      for (const socket of this.#all) socket.close();
    };
    signal.addEventListener('abort', closeAll, { once: true });
    const slots = Array.from({ length: this.#owner.settings.sockets }, (_, index) => this.#keep(index, signal));
    await Promise.all([...slots, this.#watch(signal)]);
  }

  /** Closes what has fallen silent, and says again and again how it is: who is silent is taken for deaf. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { host, reception } = this.#owner;
    while (!signal.aborted) {
      await sleep(host.clock, beat, signal);
      if (signal.aborted) return;
      for (const socket of this.#all) {
        if (host.clock.now() - socket.heardAt <= silence) continue;
        host.log.warn({}, 'a socket of Slack has fallen silent: it is replaced');
        socket.close();
      }
      const open = [...this.#all].filter(({ isOpen }) => isOpen);
      if (open.length > 0) reception.heard(Math.max(...open.map(({ heardAt }) => heardAt)));
      else reception.health.fail(this.#reason ?? 'No socket to Slack is open.');
    }
  }

  async #keep(index: number, signal: AbortSignal): Promise<void> {
    const {
      host: { clock },
      reception,
    } = this.#owner;
    await sleep(clock, index * stagger, signal);
    let failures = 0;
    let former: Socket | undefined;
    while (!signal.aborted) {
      const socket: Socket = this.#open(former);
      const end = await socket.ended;
      if (signal.aborted) return;
      former = socket;
      const life = socket.openedAt === undefined ? 0 : clock.now() - socket.openedAt;
      failures = life <= shortLife[end.type] ? failures + 1 : 0;
      switch (end.type) {
        case 'farewell':
          await this.#partWith(socket, end.reason, failures, signal);
          break;
        case 'closed':
          // It may have been silent for a while before, and so may the others: what Slack sent into it comes again in minutes only.
          if (socket.openedAt !== undefined) reception.missed(socket.heardAt);
          await this.#recover(connectFailureOf(socket), failures, signal);
          break;
        case 'refused':
          await this.#recover(readConnectFailure(end.error, 'app'), failures, signal);
      }
    }
  }

  #open(former: Socket | undefined): Socket {
    const { settings, host, reception, die, take } = this.#owner;
    const socket = new Socket(
      settings,
      {
        take,
        heard: () => reception.heard(),
        left: () => {
          if (socket.isGone) this.#all.delete(socket);
          if (this.#readyCount === 0) reception.closed();
        },
        opened: (appId = this.#appId) => {
          this.#reason = undefined;
          host.clock.after(grace, () => former?.close());
          // Nothing would ever come, or nothing could be answered.
          if (this.#appId !== undefined && appId !== this.#appId)
            die(`The app-level token belongs to the app ${appId}, but the bot token to ${this.#appId}. ${takeBoth}`);
          else if (this.#readyCount > 1) reception.heard();
          else reception.opened();
        },
      },
      host,
    );
    this.#all.add(socket);
    return socket;
  }

  async #partWith(socket: Socket, reason: string, failures: number, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#owner.host;
    switch (reason) {
      case 'link_disabled':
        this.#owner.die(readRefusal(reason, 'app').reason);
        return;
      case 'too_many_websockets':
        socket.close();
        await this.#recover({ reason: crowded, isFinal: false, pause: crowdPause }, 1, signal);
        return;
      default:
        log.debug({ reason }, 'Slack renews a socket');
        if (failures > toleratedFarewells) await sleep(clock, backOff(failures - toleratedFarewells), signal);
    }
  }

  async #recover(failure: ConnectFailure, failures: number, signal: AbortSignal): Promise<void> {
    const { host, reception, die } = this.#owner;
    this.#reason = failure.reason;
    // While another socket still works, Slack may be mistaken.
    if (failure.isFinal && !this.#isAnyOpen) return die(failure.reason);
    if (failures === 0) return;
    host.log.info(
      { failures, reason: failure.reason },
      'a socket to Slack could not be kept, and will be opened again',
    );
    if (!this.#isAnyOpen) reception.health.fail(failure.reason);
    await sleep(host.clock, Math.max(backOff(failures, { firstPause }), failure.pause ?? 0), signal);
  }

  get #readyCount(): number {
    return [...this.#all].filter(({ isReady }) => isReady).length;
  }

  get #isAnyOpen(): boolean {
    return [...this.#all].some(({ isOpen }) => isOpen);
  }
}

const takeBoth = 'Take both from the same app and put them into channels.slack.app_token and channels.slack.bot_token.';
const crowded =
  'Slack says that the app has too many sockets open: another Keyturn may run with the same app token. It is tried again in a minute.';

function connectFailureOf({ openedAt }: Socket): ConnectFailure {
  const reason =
    openedAt === undefined
      ? 'Slack cannot be reached: the socket could not be opened. Check the network and what stands between.'
      : 'Slack closes the socket again and again. A new one is opened.';
  return { reason, isFinal: false };
}
