import type { ChannelHost } from '../../../src/contract.ts';
import { backOff } from '../../../src/lib/back-off.ts';
import { sleep } from '../../../src/lib/clock.ts';
import type { Link } from './link.ts';
import { readRefusal, readSetback, type Setback } from './setback.ts';
import type { Socket } from './socket.ts';

export interface SocketsDependencies {
  /** Begins to connect. */
  readonly connect: () => Socket;
  /** How many are held open side by side. */
  readonly count: number;
  /** The app that the bot tokens belong to, where that is known. */
  readonly appId: string | undefined;
  readonly link: Link;
  readonly host: ChannelHost;
}

/** The second socket begins so much later than the first, in milliseconds: they are not renewed together. */
const stagger = 20_000;
/** What must be heard from a socket in this time; Slack pings at least every 30 s. In milliseconds. */
const silence = 45_000;
/** How often the sockets are looked at, in milliseconds. */
const beat = 10_000;
/** A socket that breaks sooner counts as a failure, and so does one that Slack renews sooner, in milliseconds. */
const shortLife = { closed: 10_000, farewell: 1_000 } as const;
/** Slack may end so many sockets early before that is met with a pause. */
const toleratedFarewells = 3;
/** After the first failure, in milliseconds. */
const firstPause = 250;
/** How long a socket that Slack wants gone is kept beside its successor, in milliseconds. */
const grace = 3_000;
const crowdPause = 60_000;

/**
 * Holds sockets open, each in a slot of its own: whatever becomes of one, another is opened in its place, for ever. One that Slack renews is kept until its
 * successor is open, so that there is no instant without any.
 */
export class Sockets {
  readonly #dependencies: SocketsDependencies;
  readonly #all = new Set<Socket>();
  readonly #dying = new AbortController();
  /** Why the last one that ended or could not be opened did so, since one was opened. */
  #reason: string | undefined;

  constructor(dependencies: SocketsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Holds them open until the signal aborts or Slack shuts us out. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { count } = this.#dependencies;
    const over = AbortSignal.any([signal, this.#dying.signal]);
    const closeAll = (): void => {
      for (const socket of this.#all) socket.close();
    };
    over.addEventListener('abort', closeAll, { once: true });
    const slots = Array.from({ length: count }, (_, index) => this.#keep(index, over));
    await Promise.all([...slots, this.#watch(over)]);
  }

  /** Closes what has fallen silent, and says again and again how it is: who is silent is taken for deaf. */
  async #watch(over: AbortSignal): Promise<void> {
    const { link, host } = this.#dependencies;
    while (!over.aborted) {
      await sleep(host.clock, beat, over);
      if (over.aborted) return;
      this.#closeSilent(host.clock.now());
      if (this.#isAnyOpen) link.heard(Math.max(...this.#open.map(({ heardAt }) => heardAt)));
      else if (this.#reason === undefined) link.repeat();
      else link.fail(this.#reason);
    }
  }

  /** What Slack sent into a silent socket is lost until it is sent again, and that may be minutes later. */
  #closeSilent(now: number): void {
    const { link, host } = this.#dependencies;
    const silent = [...this.#all].filter(({ heardAt }) => now - heardAt > silence);
    for (const socket of silent) {
      host.log.warn({}, 'a socket of Slack has fallen silent: it is connected anew');
      socket.close();
    }
    const lost = silent.filter(({ openedAt }) => openedAt !== undefined).map(({ heardAt }) => heardAt);
    if (lost.length > 0 && this.#isAnyOpen) link.missed(Math.min(...lost));
  }

  async #keep(index: number, over: AbortSignal): Promise<void> {
    const { host } = this.#dependencies;
    await sleep(host.clock, index * stagger, over);
    let failures = 0;
    let former: Socket | undefined;
    while (!over.aborted) {
      const socket = this.#connect(former);
      const end = await socket.ended;
      if (over.aborted) return;

      const life = socket.openedAt === undefined ? 0 : host.clock.now() - socket.openedAt;
      const isShort = life < (end.type === 'farewell' ? shortLife.farewell : shortLife.closed);
      failures = isShort ? failures + 1 : 0;
      former = socket;
      switch (end.type) {
        case 'farewell':
          await this.#partWith(socket, { reason: end.reason, failures }, over);
          break;
        case 'closed':
          await this.#recover(setbackOf(socket), failures, over);
          break;
        case 'refused':
          await this.#recover(readSetback(end.error, 'app'), failures, over);
      }
    }
  }

  #connect(former: Socket | undefined): Socket {
    const { connect, host, link } = this.#dependencies;
    const socket = connect();
    this.#all.add(socket);
    void socket.gone.then(() => this.#all.delete(socket));
    void socket.closing.then(() => {
      if (this.#ready.length === 0) link.closed();
    });
    void socket.opened.then(({ appId }) => {
      this.#reason = undefined;
      host.clock.after(grace, () => former?.close());
      if (this.#isOfAnotherApp(appId)) return;
      if (this.#ready.length > 1) link.heard(host.clock.now());
      else link.opened();
    });
    return socket;
  }

  /** The app-level token and the bot token must be of one app: nothing would ever come, or nothing could be answered. */
  #isOfAnotherApp(appId: string | undefined): boolean {
    const { appId: botsApp } = this.#dependencies;
    if (appId === undefined || botsApp === undefined || appId === botsApp) return false;
    this.#die(`The app-level token belongs to the app ${appId}, but the bot token to ${botsApp}. ${takeBoth}`);
    return true;
  }

  async #partWith(
    socket: Socket,
    { reason, failures }: { readonly reason: string; readonly failures: number },
    over: AbortSignal,
  ): Promise<void> {
    const { host } = this.#dependencies;
    switch (reason) {
      case 'link_disabled':
        this.#die(readRefusal(reason, 'app').reason);
        return;
      case 'too_many_websockets':
        socket.close();
        await this.#recover({ reason: crowded, isFinal: false, pause: crowdPause }, 1, over);
        return;
      default:
        host.log.debug({ reason }, 'Slack renews a socket');
        if (failures > toleratedFarewells) await sleep(host.clock, backOff(failures - toleratedFarewells), over);
    }
  }

  async #recover(setback: Setback, failures: number, over: AbortSignal): Promise<void> {
    const { host, link } = this.#dependencies;
    this.#reason = setback.reason;
    // While another socket still works, Slack may be mistaken.
    if (setback.isFinal && !this.#isAnyOpen) {
      this.#die(setback.reason);
      return;
    }
    if (failures === 0) return;
    host.log.info(
      { failures, reason: setback.reason },
      'a socket to Slack could not be kept, and will be opened again',
    );
    if (!this.#isAnyOpen) link.fail(setback.reason);
    await sleep(host.clock, Math.max(backOff(failures, { firstPause }), setback.pause ?? 0), over);
  }

  #die(reason: string): void {
    this.#dependencies.link.die(reason);
    this.#dying.abort();
  }

  get #ready(): readonly Socket[] {
    return [...this.#all].filter(({ isReady }) => isReady);
  }

  get #open(): readonly Socket[] {
    return [...this.#all].filter(({ isOpen }) => isOpen);
  }

  get #isAnyOpen(): boolean {
    return this.#open.length > 0;
  }
}

const takeBoth =
  'Take both from the same app, put them into channels.slack.app_token and channels.slack.bot_token, and start Keyturn again.';
const crowded =
  'Slack says that the app has too many sockets open: another Keyturn may run with the same app token. It is tried again in a minute.';

function setbackOf({ openedAt }: Socket): Setback {
  const reason =
    openedAt === undefined
      ? 'Slack cannot be reached: the socket could not be opened. Check the network and what stands between.'
      : 'Slack closes the socket again and again. It is opened anew.';
  return { reason, isFinal: false };
}
