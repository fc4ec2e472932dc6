import { RESTJSONErrorCodes as Reason } from 'discord.js';
import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type Network,
} from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/clock.ts';
import { lazyParser, type Parse } from '../../src/lib/markdown-parser.ts';
import { createMarks, type Mark, marksWhere, type ShownMark } from '../kit/marks.ts';
import { acceptRefusal, isRefused } from '../kit/request-failure.ts';
import { retry } from '../kit/retries.ts';
import { kitWords } from '../kit/words.ts';
import { type ApiRoute, DiscordApi, type Method } from './api.ts';
import { namesRoles } from './backfill.ts';
import { Directory } from './directory.ts';
import { fetchFile } from './download.ts';
import { inviteLink } from './failure.ts';
import { Gateway } from './gateway.ts';
import { Continuity } from './gateway-socket.ts';
import { createInteractions } from './interactions.ts';
import { renderMarkdown } from './markdown.ts';
import { channelIdOf, messageIdFrom, Outgoing } from './outgoing.ts';
import type { Lasting } from './runtime.ts';
import { type DiscordSettings, settings } from './settings.ts';

export const discord = defineChannel({
  name: 'discord',
  settings,
  create: createAdapter,
  worksWithAccess: namesRoles,
});

/** Upload limit of a bot in a server without boosts, in bytes. */
const largestFile = 10 * 2 ** 20;
/** How long `stop` waits for pending work, in ms. */
const stopGrace = 1_500;

/** Made at the first start, and kept. */
interface Started extends Lasting {
  readonly outgoing: Outgoing;
  readonly mark: Mark;
}

function begin(settings: DiscordSettings, network: Network, parse: Parse, host: ChannelHost): Started {
  const { clock } = host;
  const api = new DiscordApi(settings, clock, network);
  const interactions = createInteractions(clock);
  const outgoing = new Outgoing({ api, interactions, parse, clock });
  const [continuity, directory] = [new Continuity(), new Directory()];
  const lasting: Lasting = { settings, api, network, continuity, interactions, directory, parse, since: clock.now() };
  return { ...lasting, outgoing, mark: discordMarks(api, host) };
}

function createAdapter(settings: DiscordSettings, network: Network): ChannelAdapter {
  const parse = lazyParser();
  let started: Started | undefined;
  let stop = async (): Promise<void> => {};

  function parts(): Started {
    if (started !== undefined) return started;
    throw new ChannelError({ type: 'transient', isUnsent: true }, (language) =>
      kitWords[language].notConnectedYet({ platform: 'Discord' }),
    );
  }

  return {
    capabilities: {
      maxLength: 2000,
      forms: true,
      maxFileBytes: largestFile,
      editPause: { direct: 1200, group: 1200 },
      // Five in five seconds in a channel, as its headers say; 50 requests a second in all.
      sendPace: { direct: 1000, group: 1000, burst: 5, total: 25 },
      // Discord asks for a heartbeat every 41 s, and acknowledges each.
      heartbeat: 60_000,
      history: true,
      silence: true,
    },
    get heardAt() {
      return started?.continuity.reception?.heardAt;
    },
    measure: (markdown) => renderMarkdown(markdown, parse, 'longest').length,
    send: async (to, message) => parts().outgoing.send(to, message),
    edit: async (to, ref, message) => parts().outgoing.edit(to, ref, message),
    remove: async (to, ref) => parts().outgoing.remove(to, ref),
    showTyping: async (to) => parts().outgoing.showTyping(to),
    mark: marksWhere(settings.reactions, async (to, id, mark) => parts().mark(to, id, mark)),

    async start(host) {
      started ??= begin(settings, network, parse, host);
      const gateway = new Gateway(host, started);
      gateway.start();
      stop = async () => {
        await endsWithin(gateway.stop(), { clock: host.clock, milliseconds: stopGrace });
      };
    },

    stop: () => stop(),

    // Who has shared no server with the bot yet cannot write to it.
    startLink() {
      const applicationId = started?.api.applicationId;
      return applicationId === undefined ? undefined : { url: inviteLink(applicationId), sendsCode: false };
    },

    fetchAttachment: async (attachment, limits) =>
      fetchFile(attachment, { api: parts().api, apiUrl: settings.api_url, network, ...limits }),
  };
}

const markEmoji = { seen: '👀', done: '✅' } as const satisfies Record<ShownMark, string>;

/** A mark takes two requests, and Discord allows four a second. The pause is in ms. */
const patience = { tries: 3, longest: 2_000 };

/** Nothing is wrong with the place. */
const messageReasons = [
  Reason.UnknownMessage,
  Reason.ReactionWasBlocked,
  Reason.MaximumNumberOfReactionsReached,
] as const;

export function discordMarks(api: Pick<DiscordApi, 'call'>, host: Pick<ChannelHost, 'clock' | 'log'>): Mark {
  const react = (method: Method, ...[to, messageId, mark]: ReactionOn) =>
    retry(() => api.call(method, reactionOn(to, messageId, mark), { repeatable: true }), {
      clock: host.clock,
      ...patience,
    });
  const gone = acceptRefusal(Reason.UnknownEmoji, Reason.UnknownMessage);
  return createMarks({
    add: async (...mark) => void (await react('PUT', ...mark)),
    remove: async (...mark) => void (await react('DELETE', ...mark).catch(gone)),
    isAboutPlace: (error) => !isRefused(error, messageReasons),
    host,
  });
}

type ReactionOn = readonly [to: Conversation, messageId: string, mark: ShownMark];

function reactionOn(...[to, messageId, mark]: ReactionOn): ApiRoute {
  const message = `/channels/${channelIdOf(to)}/messages/${messageIdFrom(messageId)}` as const;
  return `${message}/reactions/${encodeURIComponent(markEmoji[mark])}/@me`;
}
