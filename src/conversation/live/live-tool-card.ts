import type { OutboundMessage, ToolStatus } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import { EditPace } from '../../lib/edit-pace.ts';
import type { Log } from '../../lib/log.ts';
import { Frames } from './frames.ts';
import { LiveMessage, type LivePlace, type PreviewStore } from './live-message.ts';
import { hasEnded, renderToolCard, type ToolLine, withStatus } from './tool-card.ts';

export interface LiveToolCardDependencies {
  readonly id: string;
  readonly conversationId: string;
  readonly place: LivePlace;
  readonly outbox: PreviewStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether nothing waits in the chat that has to be shown before it. */
  readonly isClear: () => boolean;
  /** Told when nothing of it will change any more. */
  readonly over: () => void;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/** What is over that soon after it has begun is not shown, in milliseconds. */
const worthShowingAfter = 700;

/**
 * One message that shows at best what the calls of a turn are doing. It has its row in the outbox before it is shown, so
 * that a later process can say that it was interrupted.
 */
export class LiveToolCard {
  readonly #dependencies: LiveToolCardDependencies;
  readonly #frames: Frames;
  readonly #message: LiveMessage;
  readonly #begunAt: number;
  readonly #lines = new Map<string, ToolLine>();
  #hasRow = false;
  #isFinished = false;
  /** Grows with each change, so that it is known whether the newest is shown. */
  #version = 0;
  #shownVersion = 0;

  constructor(dependencies: LiveToolCardDependencies) {
    this.#dependencies = dependencies;
    const { clock, log, place, isClear } = dependencies;
    this.#begunAt = clock.now();
    this.#message = new LiveMessage(place);
    this.#frames = new Frames({
      clock,
      log,
      pace: new EditPace({ clock, pause: place.adapter.capabilities.editPause[place.to.kind] }),
      dueAt: () => this.#dueAt(),
      isClear: () => this.#isShown || isClear(),
      paint: () => this.#paint(),
      gaveUp: () => this.#gaveUp(),
    });
  }

  get callIds(): readonly string[] {
    return [...this.#lines.keys()];
  }

  /** Whether all its calls have ended. */
  get hasEnded(): boolean {
    return [...this.#lines.values()].every(hasEnded);
  }

  /** Shows it on the line of its call, which is added if there is none. */
  show(status: ToolStatus): void {
    const before = this.#lines.get(status.callId);
    const line = withStatus(before, status);
    if (line === before) return;
    this.#lines.set(status.callId, line);
    this.#change();
  }

  /** Leaves the line of the call out. */
  leaveOut(callId: string): void {
    if (this.#lines.delete(callId)) this.#change();
  }

  /** What has not begun never will. */
  callOff(): void {
    for (const { callId, toolName } of this.#lines.values())
      this.show({ callId, toolName, state: 'error', tip: 'not executed' });
  }

  /** Nothing more will happen: stays as it is, once the newest is shown. What nobody has seen yet is not shown. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    if (this.#frames.isPainting) return;
    await this.#settle();
    this.#frames.wake();
  }

  /** Takes it away. */
  async remove(): Promise<void> {
    const { outbox, id } = this.#dependencies;
    await this.#frames.end();
    this.#dependencies.over();
    try {
      await this.#message.remove(this.#content('…'));
    } finally {
      if (this.#hasRow) await outbox.abandonStream(id);
    }
  }

  /** The process ends: the next one says how it ended, or that it was interrupted. Resolves within a second. */
  async leave(): Promise<void> {
    const { clock, outbox, conversationId } = this.#dependencies;
    await this.#frames.leave();
    if (this.#isFinished && this.#isShown) await outbox.say(conversationId, this.#content(this.#text()), clock.now());
  }

  get #isShown(): boolean {
    return this.#message.ref !== undefined;
  }

  #change(): void {
    this.#version += 1;
    this.#frames.wake();
  }

  #dueAt(): number | undefined {
    if (this.#lines.size === 0 || this.#version === this.#shownVersion || this.#message.isLost) return undefined;
    return this.#begunAt + worthShowingAfter;
  }

  async #paint(): Promise<void> {
    try {
      await this.#showNewest();
    } finally {
      if (this.#isFinished) await this.#settle();
    }
  }

  async #showNewest(): Promise<void> {
    const { outbox, id, conversationId, clock } = this.#dependencies;
    const version = this.#version;
    const text = this.#text();
    if (!this.#hasRow) {
      await outbox.openStream(conversationId, id, 'status', clock.now());
      this.#hasRow = true;
    }
    if (this.#frames.isOver || (this.#isFinished && !this.#isShown)) return;
    await this.#message.show(this.#content(text));
    this.#shownVersion = version;
    const { ref } = this.#message;
    if (ref !== undefined) await outbox.previewed(id, [ref], text);
  }

  async #gaveUp(): Promise<void> {
    if (this.#isFinished) await this.#settle();
    else this.#dependencies.over();
  }

  /** Ends it for good, unless the newest is still to be shown. Where that can't be a frame any more, it is delivered. */
  async #settle(): Promise<void> {
    const isNewest = this.#shownVersion === this.#version;
    if (this.#isShown && !isNewest && !this.#frames.isOver) return;
    const { outbox, id, conversationId, clock, over, deliver } = this.#dependencies;
    this.#frames.stop();
    over();
    const { ref } = this.#message;
    if (ref === undefined) return this.#hasRow ? outbox.abandonStream(id) : undefined;
    if (isNewest) return outbox.delivered(id, 1, [ref], clock.now());
    await outbox.say(conversationId, this.#content(this.#text()), clock.now());
    deliver([conversationId]);
  }

  #text(): string {
    const { adapter } = this.#dependencies.place;
    const { maxLength } = adapter.capabilities;
    return renderToolCard([...this.#lines.values()], { maxLength, measure: (markdown) => adapter.measure(markdown) });
  }

  #content(markdown: string): OutboundMessage {
    return { id: this.#dependencies.id, kind: 'status', markdown };
  }
}
