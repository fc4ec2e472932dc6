import type { ChannelHealth, ChannelHost, Conversation, InboundEvent, Receipt } from '../../../src/contract.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import type { Log } from '../../../src/lib/log.ts';

/** A host that writes down what a channel tells it. Events are stored at once, unless `onReceive` says otherwise. */
export class RecordingHost implements ChannelHost {
  readonly received: InboundEvent[] = [];
  readonly healths: ChannelHealth[] = [];
  readonly moves: { readonly from: Conversation; readonly chatId: string }[] = [];
  readonly logged: string[] = [];
  readonly clock: Clock;
  onMoved: () => Promise<void> = async () => {};
  onReceive: (event: InboundEvent) => Promise<Receipt> = async () => ({});

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  receive(event: InboundEvent): Promise<Receipt> {
    this.received.push(event);
    return this.onReceive(event);
  }

  moved(from: Conversation, chatId: string): Promise<void> {
    this.moves.push({ from, chatId });
    return this.onMoved();
  }

  async whenIdle(): Promise<void> {}

  reportHealth(health: ChannelHealth): void {
    this.healths.push(health);
  }

  reportEnd(): void {}

  requestStop(): void {}

  get health(): ChannelHealth | undefined {
    return this.healths.at(-1);
  }

  get texts(): readonly string[] {
    return this.received.map((event) => (event.type === 'action' ? event.actionId : event.text));
  }

  get log(): Log {
    const write = (fields: object, message: string): void => {
      this.logged.push(
        `${message} ${JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? value.message : value))}`,
      );
    };
    return { debug: write, info: write, warn: write, error: write, child: () => this.log };
  }
}
