import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';

/** Asks emulate's Web API. */
export class EmulatedApi {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Throws whatever is not answered with "ok". */
  async call(token: string, method: string, args: JsonObject): Promise<JsonObject> {
    const response = await fetch(`${this.root}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    const answer: unknown = await response.json();
    if (isJsonObject(answer) && answer.ok === true) return answer;
    throw new Error(`emulate answers ${method} with ${response.status} ${JSON.stringify(answer)}`);
  }
}
