/** Validates arguments against foreign JSON Schemas. Loaded when such a tool is first called. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { firstProblems, invalidArguments, type Validation, validateBy, type Wanted } from './arguments.ts';
import { createBoundedPatterns, createBoundedRun } from './bounded-run.ts';

/**
 * Makes a validator for a JSON Schema of draft 7 or 2020-12. Unknown keywords and formats are ignored, as the standard
 * says. A pattern that takes too long counts as a match, and is left to the tool. If the schema is unusable, or takes
 * more than a second on a value, the arguments are invalid, and the message says why. Invalid arguments are repaired
 * and validated again.
 */
export function jsonValidator(schema: JsonObject) {
  const compiled = compile(schema);
  return (written: JsonValue): Validation<JsonObject> => {
    if (typeof compiled === 'string')
      return invalidArguments(`The schema of this tool cannot be used: ${compiled}. Only its author can fix it.`);
    return validateBy(written, (value) => {
      const found = compiled(value);
      if (found === 'too-slow') return { valid: false, wanted: [], problems: () => tooSlow };
      if (found !== 'fits')
        return { valid: false, wanted: found.flatMap(wantedBy), problems: () => describe(found, schema) };
      if (isJsonObject(value)) return { valid: true, value };
      return {
        valid: false,
        wanted: [{ path: [], type: 'object' }],
        problems: () => 'They must be one JSON object.',
      };
    });
  };
}

function wantedBy({ keyword, params, instancePath }: ErrorObject): readonly Wanted[] {
  const path = instancePath.split('/').slice(1);
  const names = path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'enum') return [{ path: names, values: params.allowedValues }];
  if (keyword === 'const') return [{ path: names, values: [params.allowedValue] }];
  return keyword === 'type' ? [params.type].flat().map((type) => ({ path: names, type: String(type) })) : [];
}

/** Why a JSON Schema is unusable; undefined if it is fine. */
export function schemaFault(schema: JsonObject): string | undefined {
  const compiled = compile(schema);
  return typeof compiled === 'string' ? compiled : undefined;
}

/** Limits in ms: for compiling a schema, which is done once, and for validating one value. */
const compilePatience = 5_000;
const patience = 1_000;

const tooSlow =
  "Checking them against this tool's schema takes too long. Make the call with smaller arguments; if that does not help, only the tool's author can fix it.";

const lenient = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  // Inherited names, as `constructor` and `toString`, count as missing.
  ownProperties: true,
} as const;

/** Validates schemas. Shared, because creating it takes some 10 ms. */
const draft = new Ajv2020(lenient);

/** The problems of a value that does not fit. */
type Compiled = (value: JsonValue) => 'fits' | 'too-slow' | readonly ErrorObject[];

/** The validator, or why there is none. */
function compile({ $schema: _, ...schema }: JsonObject): Compiled | string {
  const bounded = createBoundedRun();
  const patterns = createBoundedPatterns();
  const code = { regExp: Object.assign(patterns.pattern, { code: 'boundedPattern' }) };
  // Outside the time limit: the first caller must not pay for compiling the meta-schema.
  expectSchema({});
  const read = (): ValidateFunction => {
    expectSchema(schema);
    // A new one for each try: an interrupted one is unusable.
    return new Ajv2020({ ...lenient, validateSchema: false, code }).compile(schema);
  };
  try {
    const { result: validate } = bounded(read, compilePatience);
    if (validate === undefined) return 'it takes too long to read';
    /** A schema may refer to itself endlessly: nothing fits it then. */
    const fits = (value: JsonValue): boolean => {
      try {
        return validate(value);
      } catch (cause) {
        if (cause instanceof RangeError) return false;
        throw cause;
      }
    };
    return (value) => {
      patterns.begin();
      const { done, result } = bounded(() => fits(value), patience);
      if (!done) return 'too-slow';
      return result === true ? 'fits' : (validate.errors ?? []);
    };
  } catch (cause) {
    if (cause instanceof Error) return cause.message.slice(0, 200);
    throw cause;
  }
}

function expectSchema(schema: JsonObject): void {
  if (draft.validateSchema(schema) !== true) throw new Error(`schema is invalid: ${draft.errorsText()}`);
}

function describe(errors: readonly ErrorObject[], schema: JsonObject): string {
  // These only report that something below is wrong.
  const telling = errors.filter(({ keyword }) => !['if', '$ref', 'allOf'].includes(keyword));
  if (telling.length === 0) return 'They do not fit the schema of this tool.';
  return firstProblems(telling.map((error) => line(error, schema))).join('\n');
}

function line({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject, schema: JsonObject): string {
  const place = instancePath === '' ? 'the arguments' : instancePath.slice(1).replaceAll('/', '.').slice(0, 200);
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params.additionalProperty ?? params.unevaluatedProperty).slice(0, 60);
      const known = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
      const meant = nearest(key, known);
      const hint = meant === undefined ? `known are ${known.slice(0, 30).join(', ')}` : `did you mean "${meant}"?`;
      return `- ${place}: unknown key ${JSON.stringify(key)}; ${hint}`;
    }
    case 'required':
      return `- ${place}: ${JSON.stringify(params.missingProperty)} is missing`;
    case 'enum':
      return `- ${place}: must be one of ${JSON.stringify(params.allowedValues).slice(0, 300)}`;
    default:
      return `- ${place}: ${message.slice(0, 200)}`;
  }
}
