import type { z } from 'zod';

/** An object as it goes over the wire. */
export type Wire = Readonly<Record<string, unknown>>;

/** What Discord says no with. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: number;
  /** Stands beside the message and the code. */
  readonly details: Wire;

  constructor(status: number, code: number, message: string, details: Wire = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** What is refused in several places. */
export const refusals = {
  unknown: (code: number, name: string): Refusal => new Refusal(404, code, `Unknown ${name}`),
  missingAccess: (): Refusal => new Refusal(403, 50001, 'Missing Access'),
  missingPermissions: (): Refusal => new Refusal(403, 50013, 'Missing Permissions'),
  closedChat: (): Refusal => new Refusal(403, 50007, 'Cannot send messages to this user'),
  archived: (): Refusal => new Refusal(400, 50083, 'Thread is archived'),
};

/** Reads a body. Throws the refusal 50035 with each mistake at its place in the tree of `errors`. */
export function readForm<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw new Refusal(400, 50035, 'Invalid Form Body', { errors: errorTree(error.issues) });
}

function errorTree(issues: readonly Pick<z.core.$ZodIssue, 'path' | 'message'>[]): Wire {
  const below = Map.groupBy(issues, ({ path: [key = '_errors'] }) => String(key));
  const branches = [...below].map(([key, list]) => {
    const inside = list.map(({ path, message }) => ({ path: path.slice(1), message }));
    return [
      key,
      key === '_errors' ? inside.map(({ message }) => ({ code: 'BASE_TYPE_BAD', message })) : errorTree(inside),
    ];
  });
  return Object.fromEntries(branches);
}
