import type { LeftPreview } from '../outbox.ts';

/** Replies that a former process was showing when it died. Each is taken once. */
export class LeftPreviews {
  readonly #left = new Map<string, readonly LeftPreview[]>();

  /** Where there are any. */
  get conversationIds(): readonly string[] {
    return [...this.#left.keys()];
  }

  /** Adds what was found, the oldest first. */
  add(previews: readonly LeftPreview[]): void {
    for (const preview of previews) {
      const { conversationId } = preview;
      this.#left.set(conversationId, [...(this.#left.get(conversationId) ?? []), preview]);
    }
  }

  /** The newest of the conversation, for the reply that is written anew. */
  takeNewest(conversationId: string): LeftPreview | undefined {
    const left = this.#left.get(conversationId);
    if (left === undefined) return undefined;
    const others = left.slice(0, -1);
    if (others.length === 0) this.#left.delete(conversationId);
    else this.#left.set(conversationId, others);
    return left.at(-1);
  }

  /** All of the conversation, since nobody goes on with them. */
  takeAll(conversationId: string): readonly LeftPreview[] {
    const left = this.#left.get(conversationId) ?? [];
    this.#left.delete(conversationId);
    return left;
  }
}
