import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type Network,
  type StartLink,
} from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { endsWithin } from '../../src/lib/clock.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { marksWhere } from '../kit/marks.ts';
import { Reception } from '../kit/reception.ts';
import { kitWords } from '../kit/words.ts';
import { SlackApi } from './api.ts';
import { backfill, mostConversations } from './backfill.ts';
import { Connection } from './connection.ts';
import { longestMarkdown, measureMarkdown } from './content.ts';
import { fetchFile } from './files.ts';
import { createIntake } from './intake.ts';
import { type Memory, Outgoing } from './outgoing.ts';
import { type SlackSettings, settings } from './settings.ts';
import { wordsFor } from './words.ts';
import { type Workspace, Workspaces } from './workspaces.ts';

export const slack = defineChannel({
  name: 'slack',
  settings,
  create: createAdapter,
});

/** Slack's limit, in bytes. */
const largestFile = 1_000_000_000;
/** Commands whose response URLs are remembered, and conversations whose last writer is. */
const mostRemembered = 1_000;
/** How long Slack retries an event, in ms. */
const slackPatience = 300_000;
/** How long `stop` waits for pending work, in ms. */
const stopGrace = 1_500;

function createAdapter(settings: SlackSettings, network: Network): ChannelAdapter {
  const workspaces = new Workspaces();
  const memory: Memory = { urls: new Remembered(mostRemembered), writers: new Remembered(mostRemembered) };
  /** Outlives connections, since it remembers what was sent. */
  const outgoing = new WeakMap<Workspace, Outgoing>();
  let session: Session | undefined;

  function apiFor(token: string): SlackApi {
    const { api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = settings;
    return new SlackApi({
      token,
      apiUrl,
      requestTimeoutSecs,
      network,
      onShutOut: () => session?.connection.doubt(token),
    });
  }

  /** Throws `ChannelError`: transient while the workspace may still become known. */
  function outgoingAt(to: Pick<Conversation, 'tenant'>): Outgoing {
    if (session === undefined)
      throw new ChannelError({ type: 'transient', isUnsent: true }, (language) =>
        kitWords[language].notConnectedYet({ platform: 'Slack' }),
      );
    const workspace = workspaces.of(to);
    const made = outgoing.get(workspace) ?? new Outgoing(workspace, memory, session.host);
    outgoing.set(workspace, made);
    return made;
  }

  return {
    capabilities: {
      maxLength: longestMarkdown,
      forms: true,
      maxFileBytes: largestFile,
      editPause: { direct: 1200, group: 1200 },
      // One a second in a channel, several hundred a minute in a workspace: docs.slack.dev/apis/web-api/rate-limits
      sendPace: { direct: 1000, group: 1000, burst: 5, total: 150 },
      heartbeat: 30_000,
      // Slack intercepts every message that starts with a slash.
      commandPrefix: `${settings.command} `,
      // Slack has no slash commands in threads; a mention followed by one arrives as a message.
      get commandPrefixInThread() {
        return `@${workspaces.find()?.botName ?? 'keyturn'} /`;
      },
      grows: settings.native_streaming,
      folds: true,
      history: true,
    },
    get heardAt() {
      return session?.reception.heardAt;
    },
    measure: measureMarkdown,
    send: async (to, message) => outgoingAt(to).send(to, message),
    edit: async (to, ref, message) => outgoingAt(to).edit(to, ref, message),
    remove: async (to, ref) => outgoingAt(to).remove(to, ref),
    showTyping: async (to) => outgoingAt(to).showTyping(to),
    mark: marksWhere(settings.reactions, async (to, id, mark) => outgoingAt(to).mark(to, id, mark)),
    react: async (to, id, emoji) => outgoingAt(to).react(to, id, emoji),

    async start(host) {
      session = openSession({ settings, network, workspaces, memory, apiFor }, host, session?.reception);
    },

    async stop() {
      if (session === undefined) return;
      const stopping = [session.stop(), ...workspaces.all.map((workspace) => outgoing.get(workspace)?.stop())];
      await endsWithin(Promise.all(stopping), { clock: session.host.clock, milliseconds: stopGrace });
    },

    startLink: () => startLinkOf(workspaces.find()),

    async fetchAttachment({ handle }, limits) {
      const [tenant = '', fileId = ''] = handle.split('/');
      return fetchFile(outgoingAt({ tenant }).workspace.api, fileId, limits);
    },
  };
}

/** The app's direct chat, in its own pages: api.slack.com/docs/deep-linking */
function startLinkOf(workspace: Workspace | undefined): StartLink | undefined {
  if (workspace?.appId === undefined) return undefined;
  const query = new URLSearchParams({ app: workspace.appId, team: workspace.teamId });
  return { url: `https://slack.com/app_redirect?${query}`, sendsCode: false };
}

/** Outlives the adapter's stop and start. */
interface Lasting {
  readonly settings: SlackSettings;
  readonly network: Network;
  readonly workspaces: Workspaces;
  readonly memory: Memory;
  readonly apiFor: (token: string) => SlackApi;
}

/** From one start to the next stop: connects, receives and backfills. */
interface Session {
  readonly host: ChannelHost;
  readonly reception: Reception;
  readonly connection: Connection;
  stop(): Promise<void>;
}

/** Takes over what the former session knows. */
function openSession(lasting: Lasting, host: ChannelHost, former?: Reception): Session {
  const { settings, workspaces, memory } = lasting;
  const { clock, log } = host;
  const ending = new AbortController();
  const { signal } = ending;
  const background = new Background(log);
  const intake = createIntake(settings, host, workspaces, { ...memory, background });
  const reception: Reception = new Reception({
    channel: 'slack',
    platform: 'Slack',
    host,
    background,
    signal,
    former,
    keptFor: slackPatience,
    account: () =>
      workspaces.all.map(({ botName, name }) => wordsFor(host).account({ bot: botName, team: name })).join(', '),
    look: async ({ since, isShort }) => {
      const conversations = await host.conversations(isShort ? mostConversations.short : mostConversations.long);
      return backfill({ since, conversations, workspaces, take: (body) => connection.take(body), signal, clock, log });
    },
  });
  const connection = new Connection({ ...lasting, host, reception, ending, take: intake.take });
  background.run('receiving has ended by a fault', () => connection.run());
  const stop = async (): Promise<void> => {
    await connection.stop();
    await background.settled();
  };
  return { host, reception, connection, stop };
}
