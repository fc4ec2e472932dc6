import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type InboundAttachment,
  type MessageMark,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import type { Desk } from './desk.ts';
import { Desks } from './desks.ts';
import { longestMarkdown, measureMarkdown } from './outgoing/content.ts';
import { Session } from './session.ts';
import { type SlackSettings, settings } from './settings.ts';
import { Workspaces } from './workspaces.ts';

/** The Slack channel. */
export const slack = defineChannel({
  name: 'slack',
  settings,
  create: (checked) => new SlackAdapter(checked),
});

/** What Slack takes, in bytes. */
const largestFile = 1_000_000_000;
/** How long `stop` waits for what is under way, in milliseconds. */
const stopGrace = 1_500;

class SlackAdapter implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities;
  readonly mark?: NonNullable<ChannelAdapter['mark']>;
  readonly #settings: SlackSettings;
  readonly #workspaces = new Workspaces();
  #desks: Desks | undefined;
  #session: Session | undefined;
  /** Until when a session has heard Slack. */
  #heardAt: number | undefined;

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
    if (settings.reactions) this.mark = (to, messageId, mark) => this.#react(to, messageId, mark);
  }

  get heardAt(): number | undefined {
    return this.#session?.heardAt ?? this.#heardAt;
  }

  measure(markdown: string): number {
    return measureMarkdown(markdown);
  }

  async start(host: ChannelHost): Promise<void> {
    const workspaces = this.#workspaces;
    this.#desks ??= new Desks({ settings: this.#settings, workspaces, clock: host.clock, log: host.log });
    this.#session = new Session({
      settings: this.#settings,
      host,
      workspaces,
      responseUrls: this.#desks.responseUrls,
      heardAt: this.#heardAt ?? host.leftAt,
    });
  }

  async stop(): Promise<void> {
    if (this.#session === undefined) return;
    const session = this.#session;
    this.#session = undefined;
    this.#heardAt = session.heardAt ?? this.#heardAt;
    await endsWithin(session.stop(), { clock: session.clock, milliseconds: stopGrace });
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    return this.#deskAt(to).send(to, message);
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#deskAt(to).edit(to, ref, message);
  }

  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    await this.#deskAt(to).remove(to, ref);
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#deskAt(to).showTyping(to);
  }

  openStream(
    to: Conversation,
    begun: (refs: readonly MessageRef[]) => Promise<void> = async () => {},
  ): ReplyStream | undefined {
    if (this.#session === undefined || !this.#settings.native_streaming) return undefined;
    return this.#desks?.find(to)?.openStream(to, this.#session.lastWriter(to), begun);
  }

  async fetchAttachment(
    { handle }: InboundAttachment,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array | 'too-large'> {
    const [tenant = '', fileId = ''] = handle.split('/');
    return this.#deskAt({ tenant }).fetchFile(fileId, limits);
  }

  async #react(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    await this.#deskAt(to).mark(to, messageId, mark);
  }

  #deskAt(to: Pick<Conversation, 'tenant'>): Desk {
    if (this.#desks !== undefined) return this.#desks.of(to);
    throw new ChannelError({ type: 'transient' }, 'Slack is not connected yet');
  }
}
