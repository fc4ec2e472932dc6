/** What the Bot API says no with. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Goes beside the description: `retry_after`, `migrate_to_chat_id`. */
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(status: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

/** The commonest refusal: 400, with the words that the real server begins it with. */
export function badRequest(words: string): Refusal {
  return new Refusal(400, `Bad Request: ${words}`);
}
