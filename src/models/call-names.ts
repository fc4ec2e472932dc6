/** The ids of the calls in one request. */
export interface CallIds {
  beginTurn(): void;
  forCall(modelCallId: string): string;
  forResult(modelCallId: string): string;
}

/**
 * Makes call ids that every provider accepts. Models give ids that are unique only within a turn, and providers allow
 * different characters; an id must occur only once in a request.
 */
export function createCallIds(): CallIds {
  return new UniqueIds();
}

class UniqueIds implements CallIds {
  readonly #used = new Set<string>();
  #ofTurn = new Map<string, string>();

  beginTurn(): void {
    this.#ofTurn = new Map();
  }

  forCall(modelCallId: string): string {
    const wanted = modelCallId.replace(/[^\w-]/g, '_').slice(0, longestId) || 'call';
    let id = wanted;
    for (let count = 2; this.#used.has(id); count += 1) id = `${wanted}_${count}`;
    this.#used.add(id);
    this.#ofTurn.set(modelCallId, id);
    return id;
  }

  forResult(modelCallId: string): string {
    return this.#ofTurn.get(modelCallId) ?? modelCallId;
  }
}

/**
 * A name that every provider accepts. The model may have called a tool that does not exist, by any name; if the
 * provider refused it, it would refuse every later request of the conversation too.
 */
export function toolName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, longestName) || 'unnamed';
}

/** The maximum that all providers accept. */
const longestName = 64;

/** OpenAI accepts 64 characters; the rest is room for a counter. */
const longestId = 56;
