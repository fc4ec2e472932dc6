import { type ClientState, connect, type KeyturnClient, type MessageFile } from '@keyturn/client';
import { batch, signal } from '@preact/signals';
import type { ChatEntry, ConversationEntries, ListedConversation } from '../../../../../src/features/page/wire/chat.ts';
import { AskError, ask } from '../../lib/ask.ts';
import { ticket } from '../../lib/live.ts';
import { listChanged } from './list-revision.ts';
import { hear, type LiveTurn, noTurn } from './live-turn.ts';
import { Outgoing, type OutgoingMessage } from './outgoing.ts';
import { isFresh, isUsed, sessionIn } from './session-id.ts';
import { type SocketLoad, trackedSocket } from './tracked-socket.ts';

type Frame = Readonly<Record<string, unknown>>;

/** How long a text that is to be replaced stays, in milliseconds, if nothing comes. */
const heldMs = 300;

/*
 * One conversation as it is shown. What is stored is asked for, and asked for again whenever something has changed; what is
 * not stored yet - the text that grows, what a tool is doing - comes over the session's own connection, and is dropped when it
 * is stored. So all tabs show the same, and nothing is lost with a connection.
 */
export class Thread {
  readonly id: string;
  /** Undefined: it is only read. */
  readonly sessionId: string | undefined;
  readonly conversation = signal<ListedConversation | undefined>(undefined);
  readonly entries = signal<readonly ChatEntry[]>([]);
  /** Where the older ones end; undefined: all are here. */
  readonly before = signal<string | undefined>(undefined);
  readonly isLoaded = signal(false);
  /** Whether older ones are on their way. */
  readonly isLoadingEarlier = signal(false);
  /** Why it is not shown. 404: it does not exist, or not yet. */
  readonly fault = signal<AskError | undefined>(undefined);
  readonly turn = signal<LiveTurn>(noTurn);
  readonly state = signal<ClientState>('connecting');
  /** Why the connection is over for good. */
  readonly ended = signal<string | undefined>(undefined);
  /** Counts up when files can be fetched that could not be before. */
  readonly shownFiles = signal(0);
  readonly outgoing: Outgoing;
  readonly load: SocketLoad;
  #client: KeyturnClient | undefined;
  #asking: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;
  /** The text is to be replaced, and nothing in its place has come yet. */
  #reset: Frame | undefined;

  constructor(id: string) {
    this.id = id;
    this.sessionId = sessionIn(id);
    this.outgoing = new Outgoing(id);
    this.load = { total: signal(0), left: signal(0) };
  }

  /** Shows it. */
  async open(): Promise<void> {
    if (isFresh(this.id)) {
      this.isLoaded.value = true;
      return;
    }
    await this.refresh();
    if (this.sessionId === undefined || this.#isClosed) return;
    if (this.fault.peek() === undefined) this.#connect();
    // Those that were on their way when the page was closed: what has arrived meanwhile counts once.
    const unsent = this.outgoing.messages.peek().filter(({ state }) => state === 'sending');
    for (const message of unsent) void this.#sendOut(message);
  }

  close(): void {
    this.#isClosed = true;
    this.#client?.close();
  }

  /** Asks for what is stored. A call meanwhile gets what is stored after that. */
  refresh(): Promise<void> {
    if (isFresh(this.id)) return Promise.resolve();
    if (this.#asking !== undefined) {
      this.#isAskedAgain = true;
      return this.#asking;
    }
    this.#asking = this.#askUntilQuiet().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async loadEarlier(): Promise<void> {
    const before = this.before.peek();
    if (before === undefined || this.isLoadingEarlier.peek()) return;
    this.isLoadingEarlier.value = true;
    try {
      const page = await ask<ConversationEntries>(`${this.#path}/entries?before=${encodeURIComponent(before)}`);
      // So much was said meanwhile that these do not go on to what is shown now.
      if (this.before.peek() !== before) return;
      batch(() => {
        this.entries.value = [...page.entries, ...this.entries.peek()];
        this.before.value = page.before;
      });
    } finally {
      this.isLoadingEarlier.value = false;
    }
  }

  async send(text: string, files: readonly MessageFile[]): Promise<void> {
    const message = this.outgoing.add(text, files, this.entries.peek());
    await this.#sendOut(message);
  }

  async retry(message: OutgoingMessage): Promise<void> {
    this.outgoing.sendAgain(message.id);
    await this.#sendOut(message);
  }

  stop(): void {
    this.#client?.abort();
  }

  regenerate(): void {
    this.#connect();
    this.#client?.regenerate();
  }

  reconnect(): void {
    this.#client = undefined;
    this.ended.value = undefined;
    this.#connect();
  }

  get #path(): string {
    return `conversations/${encodeURIComponent(this.id)}`;
  }

  async #sendOut({ id, text, files }: OutgoingMessage): Promise<void> {
    this.#connect();
    try {
      await this.#client?.message(text, { files, messageId: id });
      isUsed(this.id);
      await this.refresh();
      this.outgoing.take(id);
      listChanged();
    } catch (error) {
      if (this.#isClosed) return;
      // Of what was on its way when the connection ended nobody knows.
      const mayBeStored = this.state.peek() === 'closed';
      this.outgoing.refuse(id, error instanceof Error ? error.message : String(error), mayBeStored);
    }
  }

  async #askUntilQuiet(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#askOnce();
    } while (this.#isAskedAgain && !this.#isClosed);
  }

  async #askOnce(): Promise<void> {
    try {
      const [conversation, page] = await Promise.all([
        ask<ListedConversation>(this.#path),
        ask<ConversationEntries>(`${this.#path}/entries`),
      ]);
      batch(() => {
        const joined = joinedTo(this.entries.peek(), page.entries);
        this.conversation.value = conversation;
        this.fault.value = undefined;
        this.isLoaded.value = true;
        this.entries.value = joined ?? page.entries;
        if (joined === undefined || this.entries.peek().length === page.entries.length) this.before.value = page.before;
        this.outgoing.settle(page.entries);
      });
    } catch (error) {
      const fault = error instanceof AskError ? error : new AskError(0, String(error));
      batch(() => {
        this.isLoaded.value = true;
        // What is shown stays, while the daemon is away.
        if (this.entries.peek().length === 0) this.fault.value = fault;
      });
    }
  }

  #connect(): void {
    if (this.sessionId === undefined || this.#client !== undefined || this.#isClosed) return;
    const client = connect({
      url: location.origin,
      ticket,
      sessionId: this.sessionId,
      webSocket: trackedSocket(this.load),
      onState: (state) => {
        this.state.value = state;
      },
      // The daemon shows decisions to clients that can show them.
      onApproval: () => {},
      onFrame: (frame) => this.#hear(frame),
    });
    this.#client = client;
    void client.closed.then((reason) => {
      if (!this.#isClosed && this.#client === client) this.ended.value = reason;
    });
  }

  /**
   * What replaces a text comes right behind its reset, in another frame: between the two, the text stays. If it went, the log
   * would blink at the end of each turn, and a log that shrinks and grows within a picture loses where it is.
   */
  #hear(frame: Frame): void {
    if (frame.type !== 'chunk_reset') {
      batch(() => {
        this.#takeReset();
        this.#take(frame);
      });
      return;
    }
    this.#reset = frame;
    setTimeout(() => {
      // Nothing is in its place.
      if (this.#reset === frame) this.#takeReset();
    }, heldMs);
  }

  #takeReset(): void {
    const reset = this.#reset;
    this.#reset = undefined;
    if (reset !== undefined) this.#take(reset);
  }

  #take(frame: Frame): void {
    const { turn, tells } = hear(this.turn.peek(), frame);
    if (frame.type === 'file' || frame.type === 'connected') this.shownFiles.value += 1;
    this.turn.value = turn;
    switch (tells) {
      case 'nothing':
        return;
      case 'stored':
        void this.refresh();
        return;
      case 'ended':
        void this.#endTurn(turn.id);
    }
  }

  /** What was live is stored now. */
  async #endTurn(id: string): Promise<void> {
    await this.refresh();
    if (this.turn.peek().id === id && this.turn.peek().isOver) this.turn.value = noTurn;
    listChanged();
  }
}

/** The entries with the newest page of them, if these go on where those end. */
function joinedTo(known: readonly ChatEntry[], newest: readonly ChatEntry[]): readonly ChatEntry[] | undefined {
  const [first] = newest;
  if (first === undefined) return undefined;
  const at = known.findIndex(({ id }) => id === first.id);
  return at === -1 ? undefined : [...known.slice(0, at), ...newest];
}
