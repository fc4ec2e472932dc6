import type { Button } from '../../src/contract.ts';
import { buttonFor, type OpenCard, type Question } from './question.ts';

/** What a line is to the card that it was typed under. */
export type Answer =
  | { readonly type: 'press'; readonly button: Button }
  /** It would have been one, but the card has been answered in the meantime. */
  | { readonly type: 'late' }
  | { readonly type: 'none' };

/** The cards that nobody has answered here yet. */
export class OpenCards {
  readonly #cards = new Map<string, OpenCard>();

  /** The newest: the one that is asked. */
  get asked(): OpenCard | undefined {
    return [...this.#cards.values()].at(-1);
  }

  /** What to ask now. */
  get question(): Question | undefined {
    const card = this.asked;
    return card && { card, waiting: this.#cards.size };
  }

  get count(): number {
    return this.#cards.size;
  }

  has(card: OpenCard): boolean {
    return this.#cards.has(card.id);
  }

  /** Adds a card, or puts one on top again. */
  open(card: OpenCard): void {
    this.#cards.delete(card.id);
    this.#cards.set(card.id, card);
  }

  close(id: string): void {
    this.#cards.delete(id);
  }

  /** Takes a line for an answer to the card. A card is pressed once: then the next one is asked. */
  answer(card: OpenCard | undefined, line: string): Answer {
    const button = card === undefined ? undefined : buttonFor(card.buttons, line);
    if (card === undefined || button === undefined) return { type: 'none' };
    return this.#cards.delete(card.id) ? { type: 'press', button } : { type: 'late' };
  }
}
