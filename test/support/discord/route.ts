import type { RequestBody } from './request-body.ts';

/** One request, as far as its route cares. */
export interface RouteRequest extends RequestBody {
  /** What stands in the path for the names of the template. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** A part of the path. The template has it, or the fake is wrong. */
export function pathPart({ path }: RouteRequest, name: string): string {
  const part = path[name];
  if (part === undefined) throw new Error(`The route has no part "${name}".`);
  return part;
}

export interface RouteLimit {
  readonly requests: number;
  /** In milliseconds, before they are scaled. */
  readonly windowMs: number;
}

/** Something that Discord can be asked for. */
export interface Route {
  readonly method: string;
  /** Below `/api/v10`, with `:name` for what differs. */
  readonly template: string;
  /** Gives what the answer holds; undefined for 204, without a body. */
  readonly answer: (request: RouteRequest) => unknown;
  /** A token in the path speaks for the bot; nothing limits it with the others. */
  readonly isOpen?: boolean;
  readonly limit?: RouteLimit;
}
