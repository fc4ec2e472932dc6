import type { ChannelHost } from '../../src/contract.ts';
import { backOff, sleep } from '../../src/lib/clock.ts';
import type { Reception } from '../kit/reception.ts';
import { openSocket, type Socket, type SocketEvents, type SocketSettings } from './socket.ts';
import { type ConnectFailure, readConnectFailure, readRefusal } from './tokens.ts';

/** Delay of each further socket, in ms, so that they are not renewed together. */
const stagger = 20_000;
/** A socket this long silent is replaced; Slack pings at least every 30 s. In ms. */
const silence = 45_000;
/** How often the sockets are checked, in ms. */
const beat = 10_000;
/** A socket that ends within this time counts as a failure, by kind of end. In ms. */
const shortLife = { closed: 10_000, farewell: 1_000, refused: 0 } as const;
/** Early farewells tolerated before backing off. */
const toleratedFarewells = 3;
/** Pause after the first failure, in ms. */
const firstPause = 250;
/** How long a socket that Slack is closing overlaps its successor, in ms. */
const grace = 3_000;
const crowdPause = 60_000;

interface SocketsOwner {
  readonly settings: SocketSettings & { readonly sockets: number };
  readonly host: ChannelHost;
  readonly reception: Reception;
  take(body: unknown): Promise<void>;
  /** Only the operator can fix it. Aborts the signal. */
  die(reason: string): void;
}

/**
 * Keeps sockets open until the signal aborts, each in its slot: a socket that ends is replaced, for ever. When Slack
 * renews one, it is kept until its successor is open, so there is no gap. `ourAppId`: the app of the bot tokens, if
 * known. Never rejects.
 */
export async function holdSockets(
  { settings, host, reception, take, die }: SocketsOwner,
  ourAppId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = host;
  const all = new Set<Socket>();
  /** Why the last socket ended or failed, since one was opened. */
  let lastReason: string | undefined;

  const readyCount = (): number => [...all].filter((socket) => socket.isReady()).length;
  const openOnes = (): readonly Socket[] => [...all].filter((socket) => socket.isOpen());

  /** Replaces silent sockets, and reports the health regularly. */
  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await sleep(clock, beat, signal);
      if (signal.aborted) return;
      for (const socket of all) {
        if (clock.now() - socket.heardAt() <= silence) continue;
        log.warn({}, 'a socket of Slack has fallen silent: it is replaced');
        socket.close();
      }
      const open = openOnes();
      if (open.length > 0) reception.heard(Math.max(...open.map((socket) => socket.heardAt())));
      else reception.health.fail(lastReason ?? 'No socket to Slack is open.');
    }
  }

  async function keep(index: number): Promise<void> {
    await sleep(clock, index * stagger, signal);
    let failures = 0;
    let former: Socket | undefined;
    while (!signal.aborted) {
      const socket: Socket = open(former);
      const end = await socket.ended;
      if (signal.aborted) return;
      former = socket;
      const openedAt = socket.openedAt();
      const life = openedAt === undefined ? 0 : clock.now() - openedAt;
      failures = life <= shortLife[end.type] ? failures + 1 : 0;
      switch (end.type) {
        case 'farewell':
          await partWith(socket, end.reason, failures);
          break;
        case 'closed':
          // It and the others may have been silent for a while: Slack redelivers only after minutes.
          if (openedAt !== undefined) reception.missed(socket.heardAt());
          await recover(connectFailureOf(openedAt), failures);
          break;
        case 'refused':
          await recover(readConnectFailure(end.error, 'app'), failures);
      }
    }
  }

  function open(former: Socket | undefined): Socket {
    const events: SocketEvents = {
      take,
      heard: () => reception.heard(),
      left: () => {
        if (socket.isGone()) all.delete(socket);
        if (readyCount() === 0) reception.closed();
      },
      opened: (appId = ourAppId) => {
        lastReason = undefined;
        clock.after(grace, () => former?.close());
        // With tokens of two apps, no events arrive, or none can be answered.
        if (ourAppId !== undefined && appId !== ourAppId)
          die(`The app-level token belongs to the app ${appId}, but the bot token to ${ourAppId}. ${takeBoth}`);
        else if (readyCount() > 1) reception.heard();
        else reception.opened();
      },
    };
    const socket = openSocket(settings, events, host);
    all.add(socket);
    return socket;
  }

  async function partWith(socket: Socket, reason: string, failures: number): Promise<void> {
    switch (reason) {
      case 'link_disabled':
        return die(readRefusal(reason, 'app').reason);
      case 'too_many_websockets':
        socket.close();
        return recover({ reason: crowded, isFinal: false, pause: crowdPause }, 1);
      default:
        log.debug({ reason }, 'Slack renews a socket');
        if (failures > toleratedFarewells) await sleep(clock, backOff(failures - toleratedFarewells), signal);
    }
  }

  async function recover({ reason, isFinal, pause = 0 }: ConnectFailure, failures: number): Promise<void> {
    lastReason = reason;
    const isAnyOpen = openOnes().length > 0;
    // While another socket works, Slack's refusal may be wrong.
    if (isFinal && !isAnyOpen) return die(reason);
    if (failures === 0) return;
    log.info({ failures, reason }, 'a socket to Slack could not be kept, and will be opened again');
    if (!isAnyOpen) reception.health.fail(reason);
    await sleep(clock, Math.max(backOff(failures, { firstPause }), pause), signal);
  }

  const closeAll = (): void => {
    for (const socket of all) socket.close();
  };
  signal.addEventListener('abort', closeAll, { once: true });
  await Promise.all([watch(), ...Array.from({ length: settings.sockets }, (_, index) => keep(index))]);
}

const takeBoth = 'Take both from the same app and put them into channels.slack.app_token and channels.slack.bot_token.';
const crowded =
  'Slack says that the app has too many sockets open: another Keyturn may run with the same app token. It is tried again in a minute.';

function connectFailureOf(openedAt: number | undefined): ConnectFailure {
  const reason =
    openedAt === undefined
      ? 'Slack cannot be reached: the socket could not be opened. Check the network and any proxy.'
      : 'Slack closes the socket again and again. A new one is opened.';
  return { reason, isFinal: false };
}
