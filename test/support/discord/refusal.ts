import type { Wire } from './wire.ts';

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

export function unknownThing(code: number, name: string): Refusal {
  return new Refusal(404, code, `Unknown ${name}`);
}

export function missingAccess(): Refusal {
  return new Refusal(403, 50001, 'Missing Access');
}

export function missingPermissions(): Refusal {
  return new Refusal(403, 50013, 'Missing Permissions');
}

/** One thing that is wrong with a body. */
export interface FormMistake {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly message: string;
}

/** 50035, with each mistake at its place in the tree of `errors`. */
export function invalidForm(mistakes: readonly FormMistake[]): Refusal {
  return new Refusal(400, 50035, 'Invalid Form Body', { errors: errorTree(mistakes) });
}

function errorTree(mistakes: readonly FormMistake[]): Wire {
  const own = mistakes.filter(({ path }) => path.length === 0).map(({ code, message }) => ({ code, message }));
  const below = Map.groupBy(
    mistakes.filter(({ path }) => path.length > 0),
    ({ path }) => String(path[0]),
  );
  const branches = [...below].map(([key, list]) => {
    const rest = list.map((mistake) => ({ ...mistake, path: mistake.path.slice(1) }));
    return [key, errorTree(rest)] as const;
  });
  return { ...Object.fromEntries(branches), ...(own.length > 0 && { _errors: own }) };
}
