import { onRefusal } from '../kit/request-failure.ts';
import type { Entity } from './markdown.ts';

/** Sends texts with the formatting that the server knows: one of the operator's own may be older than a kind of entity. */
export interface Formatting {
  /**
   * Retries without what an older server may not know, then without any formatting, if Telegram refuses it. What helped is
   * left out from then on.
   */
  orPlain<Result>(
    entities: readonly Entity[],
    request: (entities: readonly Entity[]) => Promise<Result>,
  ): Promise<Result>;
}

/** The newest first. Instants came with Bot API 9.5, and folding quotations with 7.4. */
const newer = ['date_time', 'expandable_blockquote'] as const;

export function createFormatting(): Formatting {
  const unknown = new Unknown();
  return {
    async orPlain(entities, request) {
      const known = unknown.without(entities);
      const later = newer.filter((type) => known.some((entity) => entity.type === type));
      const attempts = later.map((_, at) => new Set<string>(later.slice(0, at + 1)));
      return attemptAll(known, [new Set<string>(), ...attempts], { request, unknown });
    },
  };
}

/** The kinds of entities that the server has refused. */
class Unknown {
  readonly #types = new Set<string>();

  add(types: ReadonlySet<string>): void {
    for (const type of types) this.#types.add(type);
  }

  without(entities: readonly Entity[]): readonly Entity[] {
    return older(entities, this.#types);
  }
}

interface Attempts<Result> {
  readonly request: (entities: readonly Entity[]) => Promise<Result>;
  readonly unknown: Unknown;
}

async function attemptAll<Result>(
  entities: readonly Entity[],
  [dropped, ...others]: readonly ReadonlySet<string>[],
  attempts: Attempts<Result>,
): Promise<Result> {
  const shown = dropped === undefined ? [] : older(entities, dropped);
  const sending = attempts.request(shown).then((result) => {
    attempts.unknown.add(dropped ?? new Set());
    return result;
  });
  return shown.length === 0
    ? sending
    : sending.catch(onRefusal(badFormatting, () => attemptAll(entities, others, attempts)));
}

const badFormatting = /^400 .*entit/is;

/** Without entities of these types. A folding quotation becomes one that is open. */
function older(entities: readonly Entity[], types: ReadonlySet<string>): readonly Entity[] {
  if (types.size === 0) return entities;
  return entities.flatMap((entity): readonly Entity[] => {
    if (!types.has(entity.type)) return [entity];
    const { offset, length } = entity;
    return entity.type === 'expandable_blockquote' ? [{ type: 'blockquote', offset, length }] : [];
  });
}
