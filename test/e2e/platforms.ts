import type { z } from 'zod';
import type { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import type { Delivery } from '../../packages/fakes/src/slack/deliveries.ts';
import type { SlackServer } from '../../packages/fakes/src/slack-server.ts';
import type { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import type { DaemonProcess } from '../support/daemon-process.ts';
import type { ModelServer } from '../support/model-server.ts';
import { DiscordSetting } from './discord-setting.ts';
import { FaultMix, type FaultyServer, type MixedFault } from './fault-mix.ts';
import { SlackSetting } from './slack-setting.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** A platform that people talk on while the daemon is killed, or while things go wrong. */
export interface Platform {
  /** What people said while nobody received comes in the order in which they said it. */
  readonly keepsOrder: boolean;
  /** So does the very first that somebody said in a direct chat. */
  readonly bringsFirstWords: boolean;
  /** A message that is sent a second time is not shown a second time. */
  readonly repeatsAreDropped: boolean;
  /** What the log says each time that the daemon tried in vain to receive. */
  readonly receivesNothing: string;
  /** How many of them try it side by side. */
  readonly receivers: number;
  /** How long an answer may take at most while one request in five goes wrong, in milliseconds. */
  readonly patienceMs: number;
  /** Starts a fake of it with a daemon that receives. */
  start(config: Readonly<Record<string, unknown>>): Promise<PlatformSetting>;
  /** The same with a daemon that soon gives up what gets no answer, and where these things go wrong from the first request on. */
  startFaulty(faults?: { readonly seed: number; readonly hangingPolls: number }): Promise<FaultySetting>;
}

export interface PlatformSetting extends AsyncDisposable {
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  /** How often a daemon has begun to receive, or received again. A process that was started has begun when it has grown. */
  received(): number;
  /** Another person with a chat of their own. */
  newChat(): Chat;
  rows<Shape extends z.ZodType>(shape: Shape, sql: string): readonly z.output<Shape>[];
}

export interface FaultySetting extends PlatformSetting {
  /** What goes wrong, if anything does. */
  readonly mix: FaultMix | undefined;
  /** Breaks all connections and lets no new ones in, or lets them in again. */
  outage(isOn: boolean): void;
  /** How many requests the daemon has made. */
  requests(): number;
}

/** One person's chat with the bot. */
export interface Chat {
  readonly name: string;
  /** Returns what has the platform deliver the message once more. */
  say(text: string): () => void;
  /** What was said last has come to the daemon. Left out where it comes in order anyway. */
  hasCome?(): boolean;
  press(messageId: string, label: string): void;
  /** What the bot shows there, the oldest first. */
  shown(): readonly ShownInChat[];
}

export interface ShownInChat {
  readonly id: string;
  readonly text: string;
  /** What stands on its buttons. */
  readonly buttons: readonly string[];
}

/** Where a fault is to befall requests: at which method or route of the platform. */
type Aims = Readonly<Record<MixedFault['aim'], string>>;

const telegram = platform({
  keepsOrder: true,
  bringsFirstWords: true,
  repeatsAreDropped: false,
  receivesNothing: 'telegram does not receive',
  receivers: 1,
  // What gets no answer is given up soon, yet not because the machine is busy.
  hasty: { poll_timeout_secs: 1, request_timeout_secs: 3 },
  start: ({ config, channel }, prepare?: (server: TelegramServer) => void) =>
    TelegramSetting.start({ config, channel, ...(prepare && { prepare }) }),
  serverOf: (setting: TelegramSetting) => setting.telegram,
  faultsAt: (server): FaultyServer => ({
    fault: ({ fault, aim, ...limits }) => {
      const method = ({ sends: 'sendMessage', polls: 'getUpdates', all: '*' } satisfies Aims)[aim];
      // A request for updates that hangs is given up later than others: those have a fault of their own.
      const isNoPoll = (params: Readonly<Record<string, unknown>>): boolean => !('allowed_updates' in params);
      const when = aim === 'all' && fault.kind === 'hang' ? { when: isNoPoll } : {};
      return server.fault({ ...fault, ...limits, method, ...when });
    },
    resetAfterSending: () => server.callsOf('sendMessage').filter(({ fault }) => fault === 'drop-after').length,
  }),
  received: (setting) => setting.telegram.polls,
  newChat: (setting) => {
    const server = setting.telegram;
    const chat = setting.newOwner();
    server.addChat(chat);
    return {
      name: String(chat),
      say(text) {
        const update = server.say(chat, text);
        return () => server.redeliver(update);
      },
      press: (id, label) => void server.press(chat, Number(id), label),
      shown: () => ofTheBot(server.chat(chat)).map((message) => seen(message, String(message.id))),
    };
  },
});

/** Slack's minutes are seconds of ours: an event comes again after one, and then after five. */
const scaled = { timeScale: 1 / 60 };

const slack = platform({
  // Each event is delivered again at a time of its own.
  keepsOrder: false,
  bringsFirstWords: true,
  repeatsAreDropped: true,
  receivesNothing: 'a socket to Slack could not be kept',
  receivers: 2,
  // What may have been sent needs two requests that go well, and the pauses double.
  patienceMs: 40_000,
  hasty: { request_timeout_secs: 1 },
  start: ({ config, channel }, prepare?: (server: SlackServer) => void) =>
    SlackSetting.start({ config, channel, server: scaled, ...(prepare && { prepare }) }),
  serverOf: (setting: SlackSetting) => setting.slack,
  faultsAt: (server): FaultyServer => ({
    // New things come over sockets here: what corresponds to a poll is asking where to connect.
    fault: ({ fault, aim, ...limits }) => {
      const aims: Aims = { sends: 'chat.postMessage', polls: 'apps.connections.open', all: '*' };
      return server.fault({ ...fault, ...limits, method: aims[aim] });
    },
    resetAfterSending: () => server.callsOf('chat.postMessage').filter(({ fault }) => fault === 'drop-after').length,
  }),
  received: (setting) => setting.slack.sockets.opened,
  newChat: slackChat,
});

export function slackChat(setting: SlackSetting): Chat {
  const server = setting.slack;
  const chat = setting.newOwner();
  let last: readonly Delivery[] = [];
  return {
    name: chat,
    // Of two posts at the same instant, each comes over a socket of its own.
    hasCome: () => last.every(({ state }) => state !== 'waiting'),
    say(text) {
      const { deliveries } = server.say(chat, text);
      last = deliveries;
      return () => {
        for (const delivery of deliveries) server.redeliver(delivery);
      };
    },
    press: (ts, label) => void server.press(chat, ts, label),
    shown: () => ofTheBot(server.chat(chat)).map((message) => seen(message, message.ts)),
  };
}

const discordSends = 'POST /channels/:channel/messages';

const discord = platform({
  keepsOrder: true,
  bringsFirstWords: false,
  // The same nonce gives the same message.
  repeatsAreDropped: true,
  receivesNothing: 'discord does not receive',
  receivers: 1,
  hasty: { request_timeout_secs: 1 },
  start: ({ config, channel }, prepare?: (server: DiscordServer) => void) =>
    DiscordSetting.start({ config, channel, ...(prepare && { prepare }) }),
  serverOf: (setting: DiscordSetting) => setting.discord,
  faultsAt: (server): FaultyServer => ({
    // New things come over the gateway: what corresponds to a poll is asking where that is.
    fault: ({ fault, aim, ...limits }) => {
      const aims: Aims = { sends: discordSends, polls: 'GET /gateway/bot', all: '*' };
      return server.fault({ ...fault, ...limits, route: aims[aim] });
    },
    resetAfterSending: () => server.callsOf(discordSends).filter(({ fault }) => fault === 'drop-after').length,
  }),
  received: (setting) => setting.sessions(),
  newChat: (setting) => {
    const server = setting.discord;
    const chat = server.direct(setting.newOwner());
    return {
      name: chat,
      say(text) {
        const event = server.say(chat, text);
        return () => server.dispatch('MESSAGE_CREATE', event);
      },
      press: (id, label) => void server.press(chat, id, label),
      shown: () => ofTheBot(server.chat(chat)).map((message) => seen(message, message.id)),
    };
  },
});

export const platforms = { telegram, slack, discord } as const;

interface Definition<Setting, Server>
  extends Omit<Platform, 'patienceMs' | 'start' | 'startFaulty'>,
    Partial<Pick<Platform, 'patienceMs'>> {
  /** What stands in the channel's block, so that what gets no answer is soon given up. */
  readonly hasty: Readonly<Record<string, unknown>>;
  start(
    options: {
      readonly config: Readonly<Record<string, unknown>>;
      readonly channel: Readonly<Record<string, unknown>>;
    },
    prepare?: (server: Server) => void,
  ): Promise<Setting>;
  serverOf(setting: Setting): Server;
  faultsAt(server: Server): FaultyServer;
  received(setting: Setting): number;
  newChat(setting: Setting): Chat;
}

/** Closes over the types of its setting and its server. */
function platform<
  Server extends { outage(isOn: boolean): void; readonly calls: readonly unknown[] },
  Setting extends Pick<PlatformSetting, 'model' | 'daemon' | 'rows'> & {
    connected(): Promise<void>;
    dispose(): Promise<void>;
  },
>(definition: Definition<Setting, Server>): Platform {
  const { hasty, serverOf, faultsAt, received, newChat, ...facts } = definition;
  const settingOf = (setting: Setting): PlatformSetting => ({
    model: setting.model,
    daemon: setting.daemon,
    received: () => received(setting),
    newChat: () => newChat(setting),
    rows: (shape, sql) => setting.rows(shape, sql),
    [Symbol.asyncDispose]: () => setting.dispose(),
  });
  return {
    patienceMs: 100_000,
    ...facts,
    start: async (config) => settingOf(await definition.start({ config, channel: {} })),
    async startFaulty(faults) {
      let mix: FaultMix | undefined;
      const prepare = (server: Server): void => {
        if (faults !== undefined) mix = new FaultMix(faultsAt(server), faults.seed, faults.hangingPolls);
      };
      const setting = await definition.start({ config: {}, channel: hasty }, prepare);
      // What is said before may be delivered again, each message at a time of its own: that has no order.
      await setting.connected();
      const server = serverOf(setting);
      return { ...settingOf(setting), mix, outage: (isOn) => server.outage(isOn), requests: () => server.calls.length };
    },
  };
}

function ofTheBot<Message extends { readonly from: string }>(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ from }) => from === 'bot');
}

function seen(
  message: Pick<ShownInChat, 'text'> & { readonly buttons: readonly { readonly label: string }[] },
  id: string,
) {
  return { id, text: message.text, buttons: message.buttons.map(({ label }) => label) };
}
