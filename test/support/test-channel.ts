import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelFault,
  type ChannelHealth,
  type ChannelHost,
  type Conversation,
  conversationId,
  type InboundMembership,
  type MessageMark,
  type MessageRef,
  type OutboundMessage,
  type Receipt,
  type ReplyStream,
  type StartLink,
  type ToolStatus,
} from '../../src/contract.ts';
import { changing, type Deed, direct, type Occasion, pressing, saying, takingBack } from './deed.ts';
import { buttonOf, meets, type Shown, shownOf, type Traffic, type Trouble } from './platform-traffic.ts';
import { TestAttachments } from './test-attachments.ts';
import { allCapabilities } from './test-capabilities.ts';
import { TestScreen } from './test-screen.ts';

export interface TestChannelOptions {
  readonly name?: string;
  readonly capabilities?: Partial<ChannelCapabilities>;
  /** Shows replies while they are written. */
  readonly streams?: boolean;
  /** Takes messages away. */
  readonly removes?: boolean;
  /** Does not show by itself what tools do. */
  readonly needsCards?: boolean;
  /** Marks the messages of people. */
  readonly marks?: boolean;
  /** Takes reactions to them. */
  readonly reacts?: boolean;
}

/** What somebody does, and where what comes of it is seen, if that matters. */
type SeenDeed = Deed & { readonly at?: string };

/** A platform in memory: keeps what people see, and fails or waits when a test says so. */
export class TestChannel extends TestScreen implements ChannelAdapter {
  readonly name: string;
  readonly capabilities: ChannelCapabilities;
  readonly traffic: Traffic[] = [];
  /** What people have put on the platform. */
  readonly files = new TestAttachments();
  readonly fetchAttachment = this.files.fetch;
  /** What was shown of what calls are doing. */
  readonly statuses: ToolStatus[] = [];
  /** The groups that it has left. */
  readonly left: string[] = [];
  /** How the next tries to leave one fail. */
  readonly leaveFaults: ChannelFault[] = [];
  /** Where a person opens it, by the code. */
  startLinkFor: NonNullable<ChannelAdapter['startLink']> = () => undefined;
  openStream?: (to: Conversation, refused?: () => void) => ReplyStream;
  readonly remove?: (to: Conversation, ref: MessageRef) => Promise<void>;
  readonly showStatus?: (to: Conversation, status: ToolStatus) => void;
  /** The marks that were shown, as `m1 seen`. */
  readonly marked: string[] = [];
  readonly mark?: (to: Conversation, messageId: string, mark: MessageMark) => Promise<void>;
  /** The reactions of the bot, as `m1 👍`, and how the next ones fail. */
  readonly reactions: string[] = [];
  readonly reactionFaults: ChannelFault[] = [];
  readonly react?: (to: Conversation, messageId: string, emoji: string) => Promise<string>;
  readonly sessions = new TestSessions();
  /** Until when it has heard all that people said. */
  heardAt: number | undefined;
  /** Called before a preview is shown. */
  onPreview: () => void = () => {};
  /** What is sent with these words is never answered. */
  swallows: string | undefined;
  /** How often something was sent with them. */
  swallowed = 0;
  readonly #faults: Trouble[] = [];
  /** The ids that chats have now, by their old ones. */
  readonly #upgraded = new Map<string, string>();
  #gate: Promise<void> = Promise.resolve();
  #marksGate: Promise<void> = Promise.resolve();
  #host: ChannelHost | undefined;
  #events = 0;
  #refs = 0;

  constructor(options: TestChannelOptions = {}) {
    const { name = 'test', capabilities = {}, streams, marks, reacts, removes, needsCards } = options;
    super();
    this.name = name;
    this.capabilities = { ...allCapabilities, ...capabilities };
    if (streams === true) this.showStreams();
    if (removes === true) this.remove = (to, ref) => this.#remove(to, ref);
    if (needsCards !== true) this.showStatus = (_to, status) => this.statuses.push(status);
    if (reacts === true) this.react = (_to, messageId, emoji) => this.#react(messageId, emoji);
    if (marks === true) this.mark = (_to, messageId, mark) => this.#mark(messageId, mark);
  }

  /** From the next start on, it shows replies while they are written. */
  showStreams(): void {
    this.openStream = (to) => this.#stream(to);
  }

  startLink(code: string): StartLink | undefined {
    return this.startLinkFor(code);
  }

  measure(markdown: string): number {
    return markdown.length;
  }

  async start(host: ChannelHost): Promise<void> {
    await this.sessions.start(host);
    this.#host = host;
    host.reportHealth(this.sessions.health);
  }

  async stop(): Promise<void> {
    await this.sessions.onStop();
    this.#host = undefined;
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    await this.#gate;
    if (this.swallows !== undefined && message.markdown.includes(this.swallows)) {
      this.swallowed += 1;
      await new Promise(() => {});
    }
    const ref = this.#nextRef();
    this.#attempt('send', to, message, ref);
    return { id: ref };
  }

  async edit(to: Conversation, { id: ref }: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#gate;
    const isElsewhere = this.#upgraded.size > 0 && this.shown.get(ref)?.conversationId !== conversationId(to);
    if (!this.shown.has(ref) || (isElsewhere && !this.#upgraded.has(to.chatId))) {
      this.#note({ type: 'edit', conversationId: conversationId(to), text: message.markdown, ref, failed: true });
      throw new ChannelError({ type: 'permanent' }, 'the message is gone');
    }
    this.#attempt('edit', to, message, ref);
  }

  /** The next request fails so. */
  failNext(fault: ChannelFault, options: Partial<Omit<Trouble, 'fault'>> = {}): void {
    this.#faults.push({ fault, isShown: false, ...options });
  }

  /** Nothing fails any more. */
  recover(): void {
    this.#faults.length = 0;
  }

  /** Requests wait until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return resolve;
  }

  /** Marks wait until the returned function is called. */
  holdMarks(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#marksGate = promise;
    return resolve;
  }

  /** Somebody says something. Resolves once it is stored. */
  say(text: string, deed: Deed = {}): Promise<Receipt> {
    return this.#receive(saying(text, deed, this.#occasion()));
  }

  /** Somebody says something. Resolves with the message that says this, once it is seen: anywhere, or in the conversation `at`. */
  async ask(text: string, answer: string | RegExp, { at, ...deed }: SeenDeed = {}): Promise<Shown> {
    await this.say(text, deed);
    return this.sees(answer, at);
  }

  /** Somebody says something. Resolves with the card for which that has asked. */
  async cardFor(text: string, { at, ...deed }: SeenDeed = {}): Promise<Shown> {
    await this.say(text, deed);
    return this.card(at);
  }

  /** Somebody presses a button. Resolves with the message that says this, once it is seen. */
  async pressToSee(button: string | Shown, words: string | RegExp, { at, ...deed }: SeenDeed = {}): Promise<Shown> {
    await this.press(button, deed);
    return this.sees(words, at);
  }

  /** As `say`, but resolves once nothing is left to do in Ada's chat but what waits for a person. */
  async sayAtRest(text: string, deed?: Deed): Promise<void> {
    await this.say(text, deed);
    await this.whenIdle();
  }

  /** The same for `ask`. */
  async askAtRest(text: string, answer: string | RegExp, deed?: SeenDeed): Promise<void> {
    await this.ask(text, answer, deed);
    await this.whenIdle();
  }

  /** The same for `sees`. */
  async seesAtRest(words: string | RegExp, at?: string): Promise<void> {
    await this.sees(words, at);
    await this.whenIdle();
  }

  /** Somebody changes what they have said. Resolves once it is stored. */
  change(messageKey: string, text: string, deed: Deed = {}): Promise<Receipt> {
    return this.#receive(changing(messageKey, text, deed, this.#occasion()));
  }

  /** Somebody adds the bot to a chat, or takes it out. Resolves once it is stored. */
  membership(change: InboundMembership['change'], conversation: Conversation, { by = 'ada', isPerson = true } = {}) {
    const sender = { id: by, name: isPerson ? `${by.slice(0, 1).toUpperCase()}${by.slice(1)}` : '', isPerson };
    return this.#receive({ type: 'membership', key: this.#occasion().key, conversation, sender, change });
  }

  async leave(conversation: Conversation): Promise<void> {
    const fault = this.leaveFaults.shift();
    this.changes.notify();
    if (fault !== undefined) throw new ChannelError(fault, 'it cannot be left');
    this.left.push(conversationId(conversation));
    this.changes.notify();
  }

  /** Somebody takes back what they have said. Resolves once it is stored. */
  takeBack(messageKey: string, deed: Deed = {}): Promise<Receipt> {
    return this.#receive(takingBack(messageKey, deed, this.#occasion()));
  }

  /** The platform says that a message is gone, and neither whose it was nor where. */
  lose(messageKey: string): Promise<Receipt> {
    return this.#receive({ type: 'deletion', key: this.#occasion().key, messageKey });
  }

  /** Somebody presses a button, or the first one of a card: the one that approves. Resolves with the words for them alone. */
  press(button: string | Shown, deed: Deed = {}): Promise<Receipt> {
    const actionId = typeof button === 'string' ? button : buttonOf(button);
    return this.#receive(pressing(actionId, deed, this.#occasion()));
  }

  /** The platform gives a chat another id. */
  move(from: Conversation, chatId: string): Promise<void> {
    return this.#connected().moved(from, chatId);
  }

  /** From now on the chat refuses everything, and names its new id, which nobody is told otherwise. */
  upgrade(chatId: string, newId: string): void {
    this.#upgraded.set(chatId, newId);
  }

  /** Where people have talked, as the core knows it. */
  conversations(most: number): Promise<readonly Conversation[]> {
    return this.#connected().conversations(most);
  }

  /** The commands that it is to offer. */
  get commands(): ChannelHost['commands'] {
    return this.#connected().commands;
  }

  /** Until when former processes have heard all, as the core says. */
  get leftAt(): number | undefined {
    return this.#connected().leftAt;
  }

  /** Resolves when nothing is left to do in the conversation but what waits for a person. */
  whenIdle(conversation: Conversation = direct(this.name)): Promise<void> {
    return this.#connected().whenIdle(conversation);
  }

  #receive(event: Parameters<ChannelHost['receive']>[0]): Promise<Receipt> {
    return this.#connected().receive(event);
  }

  #occasion(): Occasion {
    return { channel: this.name, key: this.#nextKey() };
  }

  async #mark(messageId: string, mark: MessageMark): Promise<void> {
    await this.#marksGate;
    this.marked.push(`${messageId} ${mark}`);
    this.changes.notify();
  }

  async #react(messageId: string, emoji: string): Promise<string> {
    const fault = this.reactionFaults.shift();
    if (fault !== undefined) throw new ChannelError(fault, 'only 👍 is taken here');
    this.reactions.push(`${messageId} ${emoji}`);
    this.changes.notify();
    return emoji;
  }

  #connected(): ChannelHost {
    if (this.#host === undefined) throw new Error('the channel was not started');
    return this.#host;
  }

  async #remove(to: Conversation, { id: ref }: MessageRef): Promise<void> {
    await this.#gate;
    this.#attempt('remove', to, { id: '', kind: 'notice', markdown: '' }, ref);
    this.shown.delete(ref);
  }

  #stream(to: Conversation): ReplyStream {
    const where = conversationId(to);
    const ref = this.#nextRef();
    let text = '';
    return {
      push: (delta) => {
        this.onPreview();
        text += delta;
        this.shown.set(ref, { ref, conversationId: where, kind: 'preview', id: '', text, buttons: [] });
        this.#note({ type: 'preview', conversationId: where, text, ref, failed: false });
      },
      finish: async ([first, ...rest], shown) => {
        await this.#gate;
        if (first === undefined) return;
        this.#attempt('finish', to, first, ref);
        await shown({ id: ref });
        for (const part of rest) await shown(await this.send(to, part));
      },
      cancel: async () => {
        this.#attempt('cancel', to, { id: '', kind: 'reply', markdown: text }, ref);
        this.shown.delete(ref);
      },
    };
  }

  /** Fails as the platform would that is not connected yet, or any more; or as a test has said. */
  #attempt(type: Traffic['type'], to: Conversation, message: OutboundMessage, ref: string): void {
    const where = conversationId(to);
    if (this.#host === undefined) throw new ChannelError({ type: 'transient' }, 'the channel was not started');
    const chatId = this.#upgraded.get(to.chatId);
    if (chatId !== undefined) {
      this.#note({ type, conversationId: where, text: message.markdown, ref, failed: true });
      throw new ChannelError({ type: 'moved', chatId }, 'the chat has another id');
    }
    const at = this.#faults.findIndex((trouble) => meets(trouble, { type, conversationId: where, message }));
    const trouble = this.#faults[at];
    if (trouble?.lasts !== true && at !== -1) this.#faults.splice(at, 1);
    if (trouble === undefined || trouble.isShown) this.shown.set(ref, shownOf(message, { ref, conversationId: where }));
    const { markdown: text, id, written, isSilent } = message;
    const failed = trouble !== undefined;
    this.#note({ type, conversationId: where, text, id, written, ref, failed, ...(isSilent && { isSilent }) });
    if (trouble !== undefined)
      throw new ChannelError(trouble.fault, trouble.words ?? `the platform is ${trouble.fault.type}`);
  }

  #note(traffic: Traffic): void {
    this.traffic.push(traffic);
    this.changes.notify();
  }

  #nextRef(): string {
    this.#refs += 1;
    return `m${this.#refs}`;
  }

  #nextKey(): string {
    this.#events += 1;
    return `${this.name}:${process.pid}:${this.#events}:${this.#refs}:${crypto.randomUUID()}`;
  }
}

/** The starts and stops of a channel in memory. */
class TestSessions {
  /** What it was given at each start, the oldest first. */
  readonly hosts: ChannelHost[] = [];
  /** Waited for at each start, before it is connected. */
  onStart: () => Promise<void> = async () => {};
  /** Waited for at each stop, before it is no longer connected. */
  onStop: () => Promise<void> = async () => {};
  /** What it tells of itself once it is started. */
  health: ChannelHealth = { status: 'connected' };

  async start(host: ChannelHost): Promise<void> {
    this.hosts.push(host);
    await this.onStart();
  }
}
