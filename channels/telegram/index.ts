import {
  type ChannelAdapter,
  type ChannelHost,
  conversationId,
  defineChannel,
  type Network,
} from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { endsWithin, withTimeout } from '../../src/lib/clock.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { createMarks, type Mark, marksWhere } from '../kit/marks.ts';
import { isRefused } from '../kit/request-failure.ts';
import { createSendingApi, type SendingApi } from './api.ts';
import { openDraftStream } from './drafts.ts';
import { renderMarkdown } from './markdown.ts';
import { poll } from './poll.ts';
import { createReadingApi } from './reading-api.ts';
import { settings, type TelegramSettings } from './settings.ts';

export const telegram = defineChannel({
  name: 'telegram',
  settings,
  create: createAdapter,
});

/** How long `stop` waits for pending work, in ms. */
const stopGrace = 1_500;
/** Telegram's 50 MB include the form around the file. */
const largestFile = 50_000_000;
/** An answer that is complete sooner would only wait for its draft, in ms. */
const draftAfter = 100;
/** Timeout of a draft request, in ms. */
const draftPatience = 5_000;

const rememberedChats = 1_000;
/** What a link can carry: core.telegram.org/bots/features#deep-linking */
const startCode = /^[\w-]{1,64}$/;

interface Session {
  readonly host: ChannelHost;
  readonly background: Background;
  readonly ending: AbortController;
  readonly mark: Mark;
  /** The bot's name, once it is known. */
  username?: string;
}

function createAdapter(settings: TelegramSettings, network: Network): ChannelAdapter {
  const parse = lazyParser();
  const api = createSendingApi(settings, parse, network);
  const reading = createReadingApi(settings, network);
  /** The chats and topics that refused a draft. */
  const draftless = new Remembered<string, true>(rememberedChats);
  let session: Session | undefined;
  return {
    capabilities: {
      maxLength: 4096,
      forms: true,
      maxFileBytes: largestFile,
      editPause: { direct: 1100, group: 3100 },
      streamAfter: draftAfter,
      // About one a second in a chat, 20 a minute in a group, 30 a second in all: core.telegram.org/bots/faq
      sendPace: { direct: 1000, group: 3000, burst: 5, total: 40 },
      heartbeat: (settings.poll_timeout_secs + settings.poll_grace_secs) * 1000,
      history: true,
      folds: true,
      silence: true,
    },
    measure: (markdown) => renderMarkdown(markdown, parse).text.length,
    send: api.send,
    edit: api.edit,
    remove: api.remove,
    showTyping: api.showTyping,
    mark: marksWhere(settings.reactions, async (...message) => session?.mark(...message)),
    react: api.react,

    async start(host) {
      const background = new Background(host.log);
      const ending = new AbortController();
      const begun: Session = { host, background, ending, mark: marksOf(api, host) };
      session = begun;
      const options = { settings, reading, sending: api, host, background, session: begun };
      background.run('receiving has ended by a fault', () => poll(options, ending.signal));
    },

    async stop() {
      if (session === undefined) return;
      const { host, background, ending } = session;
      session = undefined;
      ending.abort();
      // The stop may be due to dead connections.
      reading.renew();
      await endsWithin(background.settled(), { clock: host.clock, milliseconds: stopGrace });
    },

    /** Drafts exist only in direct chats. One that refuses a draft, or a topic of it, gets no other. */
    openStream(to, refused) {
      const place = conversationId(to);
      const isDraftable = to.kind === 'direct' && !draftless.has(place);
      if (session === undefined || !settings.drafts || !isDraftable) return undefined;

      const { host, ending } = session;
      const patience = { clock: host.clock, milliseconds: draftPatience, signal: ending.signal };
      return openDraftStream({
        host,
        render: (markdown) => renderMarkdown(markdown, parse),
        showDraft: (draft) => withTimeout(patience, (signal) => api.showDraft(to, draft, signal)),
        send: (message) => api.send(to, message),
        refused() {
          draftless.set(place, true);
          refused?.();
        },
      });
    },

    leave: api.leave,

    startLink(code) {
      const { username } = session ?? {};
      if (username === undefined || !startCode.test(code)) return undefined;
      return { url: `https://t.me/${username}?start=${code}`, sendsCode: true };
    },

    fetchAttachment: ({ handle }, limits) => reading.fetchFile(handle, limits),
  };
}

function marksOf({ mark }: SendingApi, host: ChannelHost): Mark {
  return createMarks({
    add: mark,
    // A new reaction of the bot takes the place of its former one.
    remove: async () => {},
    isAboutPlace: (error) => isRefused(error, /^400 .*(?:reaction|rights|admin)/is),
    host,
  });
}
