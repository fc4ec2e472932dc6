import type { ChannelHealth, ChannelHost, Conversation, InboundEvent, Receipt, Sender } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { Language } from '../../../src/lib/words.ts';
import { offeredCommands } from '../../support/offered-commands.ts';
import { Changes } from '../../support/wait-for.ts';

/** A host that writes down what it is told and answers as the test says. */
export class FakeHost implements ChannelHost {
  readonly commands = offeredCommands;
  readonly log = silentLog;
  readonly clock: Clock & { time: number; readonly timers: (() => void)[] } = {
    time: 1_700_000_000_000,
    timers: [],
    now() {
      return this.time;
    },
    after(_milliseconds, callback) {
      const timer = (): void => callback();
      this.timers.push(timer);
      return () => {
        const index = this.timers.indexOf(timer);
        if (index >= 0) this.timers[index] = () => {};
      };
    },
  };
  readonly changes = new Changes();
  readonly events: InboundEvent[] = [];
  readonly health: ChannelHealth[] = [];
  /** In the order in which they came: `received …`, `idle`, `ended`, `stop`. */
  readonly trace: string[] = [];
  /** The language that people are spoken to in. */
  language: Language = 'en';
  dataFolder: string | undefined;
  /** The names in folders of the workspace. */
  readonly folders = new Map<string, readonly string[]>();
  answer: (event: InboundEvent) => Promise<Receipt> = async () => ({});
  idle: () => Promise<void> = async () => {};

  async receive(event: InboundEvent): Promise<Receipt> {
    const receipt = await this.answer(event);
    this.events.push(event);
    this.#tell(`received ${wordsOf(event)}`);
    return receipt;
  }

  async fileNames(_conversation: Conversation, _sender: Sender, folder: string): Promise<readonly string[]> {
    return this.folders.get(folder) ?? [];
  }

  languageFor(): Language {
    return this.language;
  }

  async moved(): Promise<void> {}

  async conversations(): Promise<readonly Conversation[]> {
    return [];
  }

  async whenIdle(conversation: Conversation): Promise<void> {
    await this.idle();
    this.#tell(`idle ${conversation.chatId}`);
  }

  reportHealth(health: ChannelHealth): void {
    this.health.push(health);
  }

  reportEnd(): void {
    this.#tell('ended');
  }

  requestStop(): void {
    this.#tell('stop');
  }

  /** The time of all timers comes. */
  pass(): void {
    for (const timer of this.clock.timers.splice(0)) timer();
  }

  /** Waits until it was told that. */
  async told(line: string): Promise<void> {
    const describe = (): string => this.trace.join('\n');
    await this.changes.waitFor(() => this.trace.includes(line), { what: line, describe });
  }

  #tell(line: string): void {
    this.trace.push(line);
    this.changes.notify();
  }
}

function wordsOf(event: InboundEvent): string {
  switch (event.type) {
    case 'action':
      return `[${event.actionId}]`;
    case 'deletion':
      return event.messageKey;
    case 'membership':
      return event.change;
    case 'message':
    case 'edit':
      return event.text;
  }
}
