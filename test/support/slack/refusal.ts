import type { JsonObject } from '../../../src/lib/json.ts';

/** What the Web API says no with: HTTP 200, `ok: false` and a code. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  /** Goes beside the code: `needed`, `provided`, `response_metadata`. */
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** A refusal that says in words what is wrong with which argument. */
export function explained(code: string, ...messages: readonly string[]): Refusal {
  return new Refusal(code, { response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) } });
}
