import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  defineChannel,
  type Network,
} from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/clock.ts';
import { lazyParser, type Parse } from '../../src/lib/markdown-parser.ts';
import { type Mark, marksWhere } from '../kit/marks.ts';
import { kitWords } from '../kit/words.ts';
import { DiscordApi } from './api.ts';
import { namesRoles } from './backfill.ts';
import { Directory } from './directory.ts';
import { fetchFile } from './download.ts';
import { inviteLink } from './failure.ts';
import { Gateway } from './gateway.ts';
import { Continuity } from './gateway-socket.ts';
import { createInteractions } from './interactions.ts';
import { renderMarkdown } from './markdown.ts';
import { Outgoing } from './outgoing.ts';
import { discordMarks, type React, reacting } from './reactions.ts';
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
  readonly react: React;
}

function begin(settings: DiscordSettings, network: Network, parse: Parse, host: ChannelHost): Started {
  const { clock } = host;
  const api = new DiscordApi(settings, clock, network);
  const interactions = createInteractions(clock);
  const outgoing = new Outgoing({ api, interactions, parse, clock });
  const [continuity, directory] = [new Continuity(), new Directory()];
  const lasting: Lasting = { settings, api, network, continuity, interactions, directory, parse, since: clock.now() };
  return { ...lasting, outgoing, mark: discordMarks(api, host), react: reacting(api, host) };
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
    react: async (to, id, emoji) => parts().react(to, id, emoji),

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
