import { createHash } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { Remembered } from '../../../lib/remembered.ts';

export interface SchemaCheckDependencies {
  /** Why a JSON Schema cannot be used; undefined where it can. */
  readonly schemaFault: (schema: JsonObject) => string | undefined;
  readonly clock: Clock;
}

/** So much may one device describe that nobody has described before, in UTF-16 units a minute: looking at it takes time. */
const mostNew = 256 * 1024;
const minute = 60_000;

/** Looks whether schemas can be used, at each of them once: devices say the same each time that they connect. */
export class SchemaCheck {
  readonly #dependencies: SchemaCheckDependencies;
  readonly #faults = new Remembered<string, { readonly fault?: string }>(1000);
  readonly #described = new Remembered<string, { readonly since: number; readonly size: number }>(1000);

  constructor(dependencies: SchemaCheckDependencies) {
    this.#dependencies = dependencies;
  }

  /** Half a sentence. */
  fault(schema: JsonObject, deviceId: string): string | undefined {
    const text = JSON.stringify(schema);
    const key = createHash('sha256').update(text).digest('hex');
    const known = this.#faults.get(key);
    if (known !== undefined) return known.fault;
    if (!this.#mayDescribe(deviceId, text.length))
      return 'this device describes too much at once: come again in a minute';
    const fault = this.#dependencies.schemaFault(schema);
    this.#faults.set(key, fault === undefined ? {} : { fault });
    return fault;
  }

  #mayDescribe(deviceId: string, size: number): boolean {
    const now = this.#dependencies.clock.now();
    const known = this.#described.get(deviceId);
    const recent = known === undefined || now - known.since >= minute ? { since: now, size: 0 } : known;
    if (recent.size + size > mostNew) return false;
    this.#described.set(deviceId, { since: recent.since, size: recent.size + size });
    return true;
  }
}
