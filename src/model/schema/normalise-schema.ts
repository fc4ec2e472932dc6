import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { rootPlace, ShapeReader } from './read-shape.ts';
import { own, References } from './references.ts';
import { type SchemaRules, type SchemaStrategy, schemaRules } from './strategies.ts';
import { writeRoot, writeShape } from './write-shape.ts';

/**
 * The schema of a tool's arguments as a provider takes it. What the schema accepts, the result accepts; what the
 * provider can't be told is told to the model in a few words, or not at all. Never throws, whatever the schema is: a
 * provider refuses a whole request for one keyword that it doesn't know. The same schema gives the same bytes, and a
 * result is its own result.
 *
 * Two things are read as they are meant, not as they are defined: what has properties or items and no type is of that
 * type, and a property that not all variants of a union name is in all of them what it is in one. Arguments are an
 * object: a schema of anything else becomes an object of anything.
 */
export function normaliseSchema(schema: JsonObject, strategy: SchemaStrategy): JsonObject {
  const rules = schemaRules[strategy];
  const references = new References(schema);
  const reader = new ShapeReader({
    references,
    keepsReferences: rules.keepsReferences,
    isOldDraft: isOldDraft(schema),
  });
  const root = writeRoot(reader.read(schema, rootPlace) ?? {}, rules);
  return { ...root, ...definitions(schema, reader, rules) };
}

function isOldDraft(schema: JsonObject): boolean {
  const draft = own(schema, '$schema');
  return typeof draft === 'string' && /draft-0[3-7]/.test(draft);
}

/** The definitions that are still referred to, and those that they refer to, in the order in which they stood. */
function definitions(schema: JsonObject, reader: ShapeReader, rules: SchemaRules): JsonObject {
  const written = new Map<string, JsonObject>();
  // Reading a definition may need more of them: the list grows while it is read.
  for (let index = 0; index < reader.needed.length; index += 1) {
    const needed = reader.needed[index];
    if (needed === undefined) break;
    const { container, name } = needed;
    const shape = reader.read(own(asObject(own(schema, container)), name), { ...rootPlace, depth: 1, inline: false });
    written.set(`${container}/${name}`, writeShape(shape ?? {}, rules));
  }
  const containers = (['$defs', 'definitions'] as const).map((container) => {
    const names = Object.keys(asObject(own(schema, container)));
    const entries = names.flatMap((name) => {
      const definition = written.get(`${container}/${name}`);
      return definition === undefined ? [] : [[name, definition] as const];
    });
    return entries.length === 0 ? {} : { [container]: Object.fromEntries(entries) };
  });
  return Object.assign({}, ...containers);
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
