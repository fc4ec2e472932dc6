import type { RunFailure } from '../contract.ts';
import { newId } from '../lib/ids.ts';
import type { ChatFrame } from './server-frames.ts';

/** A piece of what was said in a turn. `forUnasked`: clients that show approvals by themselves have it from elsewhere. */
interface Piece {
  text: string;
  readonly forUnasked: boolean;
}

/** How a turn came to its end, as far as that is known by then. */
export type TurnFate = 'aborted' | 'failed';

/** What was said from the first message on until nothing is left to do, or only a person can help. */
export class ChatTurn {
  readonly id = newId(12);
  #pieces: Piece[] = [];
  #fate: TurnFate | undefined;
  #failure: RunFailure = 'other';
  #reason = '';

  /** A text that may still grow. */
  open(options: { readonly forUnasked: boolean } = { forUnasked: false }): OpenText {
    const piece: Piece = { text: '', ...options };
    this.#pieces.push(piece);
    return {
      isFirst: this.#pieces.every((other) => other === piece || other.text === ''),
      add: (delta) => {
        piece.text += delta;
      },
      replace: (text) => {
        piece.text = text;
      },
      remove: () => {
        this.#pieces = this.#pieces.filter((other) => other !== piece);
      },
    };
  }

  /** How it ends is known before it has ended. An abort counts whatever follows. */
  ends(fate: TurnFate, failure: RunFailure = 'other'): void {
    if (this.#fate !== 'aborted') this.#fate = fate;
    this.#failure = failure;
  }

  get fate(): TurnFate | undefined {
    return this.#fate;
  }

  /** Why it failed, in words for the person. */
  explain(words: string): void {
    this.#reason = this.#reason === '' ? words : `${this.#reason}\n\n${words}`;
  }

  /** Whether some clients are told less than others. */
  get hasCards(): boolean {
    return this.#pieces.some(({ forUnasked, text }) => forUnasked && text !== '');
  }

  /** All that was said. */
  text(forUnasked: boolean): string {
    const shown = this.#pieces.filter((piece) => piece.text !== '' && (forUnasked || !piece.forUnasked));
    return shown.map(({ text }) => text).join(between);
  }

  /** The frame that ends it. */
  ending(forUnasked: boolean, isWaiting: boolean): ChatFrame {
    switch (this.#fate) {
      case 'aborted':
        return { type: 'aborted' };
      case 'failed':
        return { type: 'error', code: codes[this.#failure], message: this.#reason || 'The run failed.' };
      case undefined:
        return { type: 'done', full_response: this.text(forUnasked), ...(isWaiting ? { waiting: true } : {}) };
    }
  }
}

const codes = {
  key: 'AUTH_ERROR',
  model: 'PROVIDER_ERROR',
  other: 'AGENT_ERROR',
} as const satisfies Record<RunFailure, string>;

/** What stands between two texts of a turn. */
export const between = '\n\n';

export interface OpenText {
  /** Whether nothing was said before it. */
  readonly isFirst: boolean;
  add(delta: string): void;
  replace(text: string): void;
  remove(): void;
}
