import type { Shown } from './platform-traffic.ts';
import { Changes, contains } from './wait-for.ts';

/** What people see of a platform in memory. */
export class TestScreen {
  readonly changes = new Changes();
  protected readonly shown = new Map<string, Shown>();

  /** What people see, the oldest first. */
  get screen(): readonly Shown[] {
    return [...this.shown.values()];
  }

  /** The texts that people see in a place. */
  textsIn(conversationId: string): readonly string[] {
    return this.screen.filter((shown) => shown.conversationId === conversationId).map(({ text }) => text);
  }

  /** Resolves with the newest message that says this, once it is seen. */
  sees(words: string | RegExp, conversationId?: string): Promise<Shown> {
    const look = (): Shown | undefined =>
      this.screen.findLast(
        (shown) =>
          (conversationId === undefined || shown.conversationId === conversationId) && contains(shown.text, words),
      );
    return this.changes.waitFor(look, {
      what: `somebody to see ${String(words)}`,
      describe: () => this.screen.map(({ conversationId: where, text }) => `[${where}] ${text}`).join('\n'),
    });
  }

  /** Resolves with the newest card that still has buttons. */
  card(conversationId?: string): Promise<Shown> {
    const look = (): Shown | undefined =>
      this.screen.findLast(
        (shown) =>
          shown.kind === 'card' &&
          shown.buttons.length > 0 &&
          (conversationId === undefined || shown.conversationId === conversationId),
      );
    return this.changes.waitFor(look, { what: 'a card with buttons' });
  }

  /** Nobody looks back. */
  clear(): void {
    this.shown.clear();
  }

  /** Somebody takes a message away. */
  delete(ref: string): void {
    this.shown.delete(ref);
  }
}
