import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type InboundAttachment,
  type MessageRef,
  type ReplyStream,
} from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import type { DownloadLimits } from '../kit/file-transfer.ts';
import { Reception } from '../kit/reception.ts';
import { SlackApi } from './api.ts';
import { backfill, mostPlaces } from './backfill.ts';
import { Connection } from './connection.ts';
import { longestMarkdown, measureMarkdown } from './content.ts';
import { fetchFile } from './files.ts';
import { SlackIntake } from './intake.ts';
import { Outgoing } from './outgoing.ts';
import { ResponseUrls } from './private-answers.ts';
import { type SlackSettings, settings } from './settings.ts';
import { type Workspace, Workspaces } from './workspaces.ts';

/** The Slack channel. */
export const slack = defineChannel({
  name: 'slack',
  settings,
  create: (checked) => new SlackAdapter(checked),
});

/** What Slack takes, in bytes. */
const largestFile = 1_000_000_000;
/** Slack delivers an event again for so long, and gives it up then, in milliseconds. */
const slackPatience = 300_000;
/** How long `stop` waits for what is under way, in milliseconds. */
const stopGrace = 1_500;

class SlackAdapter implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities;
  readonly mark?: NonNullable<ChannelAdapter['mark']>;
  readonly #settings: SlackSettings;
  readonly #workspaces = new Workspaces();
  /** What asks Slack, by token. */
  readonly #apis = new Map<string, SlackApi>();
  /** What goes out, by team. It outlives the connections: what was sent is remembered. */
  readonly #outgoing = new Map<string, Outgoing>();
  #responseUrls: ResponseUrls | undefined;
  /** The last that was begun. */
  #session: Session | undefined;

  constructor(settings: SlackSettings) {
    this.#settings = settings;
    const workspaces = this.#workspaces;
    this.capabilities = {
      maxLength: longestMarkdown,
      forms: true,
      maxFileBytes: largestFile,
      editPause: { direct: 1200, group: 1200 },
      heartbeat: 30_000,
      // Slack keeps everything for itself that begins with a slash.
      commandPrefix: `${settings.command} `,
      // It knows no slash commands in threads; what is said to the bot there comes through.
      get commandPrefixInThread() {
        return `@${workspaces.find()?.botName ?? 'keyturn'} /`;
      },
      history: true,
    };
    if (settings.reactions) this.mark = async (to, messageId, mark) => this.#outgoingAt(to).mark(to, messageId, mark);
  }

  get heardAt(): number | undefined {
    return this.#session?.reception.heardAt;
  }

  readonly measure = measureMarkdown;
  readonly send: ChannelAdapter['send'] = async (to, message) => this.#outgoingAt(to).send(to, message);
  readonly edit: ChannelAdapter['edit'] = async (to, ref, message) => this.#outgoingAt(to).edit(to, ref, message);
  readonly remove: ChannelAdapter['remove'] = async (to, ref) => this.#outgoingAt(to).remove(to, ref);
  readonly showTyping: ChannelAdapter['showTyping'] = async (to) => this.#outgoingAt(to).showTyping(to);

  async start(host: ChannelHost): Promise<void> {
    this.#responseUrls ??= new ResponseUrls(host.clock);
    this.#session = new Session(this.#settings, host, this.#workspaces, {
      apiFor: (token) => this.#apiFor(token),
      responseUrls: this.#responseUrls,
      former: this.#session?.reception,
    });
  }

  async stop(): Promise<void> {
    const session = this.#session;
    if (session?.isOver === false)
      await endsWithin(session.stop(), { clock: session.host.clock, milliseconds: stopGrace });
  }

  openStream(
    to: Conversation,
    begun: (refs: readonly MessageRef[]) => Promise<void> = async () => {},
  ): ReplyStream | undefined {
    const session = this.#session;
    if (session?.isOver !== false || !this.#settings.native_streaming) return undefined;
    const workspace = this.#workspaces.find(to.tenant);
    const outgoing = workspace && this.#outgoingFor(workspace, session.host);
    return outgoing?.openStream(to, session.intake.lastWriter(to), begun);
  }

  async fetchAttachment({ handle }: InboundAttachment, limits: DownloadLimits): Promise<Uint8Array | 'too-large'> {
    const [tenant = '', fileId = ''] = handle.split('/');
    return fetchFile(this.#outgoingAt({ tenant }).workspace.api, fileId, limits);
  }

  /** Throws `ChannelError`: transient while the workspace may still become known. */
  #outgoingAt(to: Pick<Conversation, 'tenant'>): Outgoing {
    if (this.#session !== undefined) return this.#outgoingFor(this.#workspaces.of(to), this.#session.host);
    throw new ChannelError({ type: 'transient', isUnsent: true }, 'Slack is not connected yet');
  }

  #outgoingFor(workspace: Workspace, host: ChannelHost): Outgoing {
    const known = this.#outgoing.get(workspace.teamId);
    if (known?.isFor(workspace)) return known;
    this.#responseUrls ??= new ResponseUrls(host.clock);
    const outgoing = new Outgoing(workspace, this.#responseUrls, host);
    this.#outgoing.set(workspace.teamId, outgoing);
    return outgoing;
  }

  #apiFor(token: string): SlackApi {
    const { api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = this.#settings;
    const onShutOut = (): void => this.#session?.connection.doubt(token);
    const api = this.#apis.get(token) ?? new SlackApi({ token, apiUrl, requestTimeoutSecs, onShutOut });
    this.#apis.set(token, api);
    return api;
  }
}

/** From one start to the next stop: receives, and fetches what was missed. */
class Session {
  readonly host: ChannelHost;
  readonly intake: SlackIntake;
  readonly connection: Connection;
  readonly reception: Reception;
  readonly #background: Background;
  readonly #ending = new AbortController();

  /** Begins to connect. */
  constructor(
    settings: SlackSettings,
    host: ChannelHost,
    workspaces: Workspaces,
    { apiFor, responseUrls, former }: SessionOptions,
  ) {
    const { clock, log } = host;
    const { signal } = this.#ending;
    const background = new Background(log);
    this.host = host;
    this.#background = background;
    this.intake = new SlackIntake(settings, host, workspaces, { responseUrls, background });
    this.reception = new Reception({
      ...{ channel: 'slack', platform: 'Slack', host, background, signal, former, keptFor: slackPatience },
      account: () => workspaces.all.map(({ botName, name }) => `@${botName} in ${name}`).join(', '),
      look: async ({ since, isShort }) => {
        const places = await host.places(isShort ? mostPlaces.short : mostPlaces.long);
        return backfill({ since, places, workspaces, take: (body) => this.connection.take(body), signal, clock, log });
      },
    });
    const take = (body: unknown): Promise<boolean> => this.intake.take(body);
    this.connection = new Connection({ settings, host, workspaces, apiFor, reception: this.reception, take });
    background.run('receiving has ended by a fault', () => this.connection.run());
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.connection.stop();
    await this.#background.settled();
  }
}

interface SessionOptions {
  readonly apiFor: (token: string) => SlackApi;
  readonly responseUrls: ResponseUrls;
  readonly former: Reception | undefined;
}
