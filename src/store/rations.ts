/** What a load of a conversation takes of each kind of row, at most. */
export interface Rations {
  readonly turns: Ration;
  readonly calls: Ration;
  readonly messages: Ration;
}

export interface Ration {
  /** Whether a row of so many characters still belongs to it. */
  add(length: number): boolean;
  isNearlyUsed(): boolean;
  used(): Used;
}

/** What was taken of a ration. */
export interface Used {
  readonly rows: number;
  readonly characters: number;
}

/** What was taken of each. */
export type UsedRations = Readonly<Record<keyof Rations, Used>>;

/** How many unread messages are loaded at once. */
export const unreadToLoad = 200;
/** A turn with its message is about as long at least, in tokens. */
const shortestTurn = 20;
const fewestTurns = 120;
/** Whatever the window: more would take memory for what no request holds. */
const mostTurns = 20_000;
/** Of each kind of row, results in full. More than a window of a million tokens can hold. */
const mostCharacters = 8_000_000;
/** Of the row itself, so that many empty rows count as well. */
const charactersPerRow = 200;

/** `taken`: of each, by what is loaded already. */
export function rationsFor(contextTokens: number, taken?: UsedRations): Rations {
  const turns = Math.min(mostTurns, Math.max(fewestTurns, Math.ceil(contextTokens / shortestTurn)));
  return {
    turns: createRation(turns, taken?.turns),
    calls: createRation(mostTurns, taken?.calls),
    messages: createRation(2 * turns + unreadToLoad, taken?.messages),
  };
}

function createRation(mostRows: number, taken: Used = { rows: 0, characters: 0 }): Ration {
  let { rows, characters } = taken;
  const share = (): number => Math.max(rows / mostRows, characters / mostCharacters);
  return {
    add(length) {
      rows += 1;
      characters += length + charactersPerRow;
      return share() <= 1;
    },
    isNearlyUsed: () => share() >= 0.75,
    used: () => ({ rows, characters }),
  };
}

export function isNearlyUsed({ turns, calls, messages }: Rations): boolean {
  return turns.isNearlyUsed() || calls.isNearlyUsed() || messages.isNearlyUsed();
}

export function usedOf({ turns, calls, messages }: Rations): UsedRations {
  return { turns: turns.used(), calls: calls.used(), messages: messages.used() };
}
