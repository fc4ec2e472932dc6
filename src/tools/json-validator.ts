/** Validates arguments against foreign JSON Schemas. Loaded when such a tool is first called. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { type Issue, type Validation, validateBy } from './arguments.ts';
import { except, isBlank, without } from './blank-arguments.ts';
import { createBoundedRun } from './bounded-run.ts';

/**
 * Makes a validator for a JSON Schema of draft 7 or 2020-12. Unknown keywords and formats are ignored, as the standard
 * says; but what is blank where a format is asked for, as "" for a date, counts as absent if it may be absent. If the
 * schema is unusable, or takes more than half a second on a value, the arguments are invalid, and the message says why.
 * Invalid arguments are repaired and validated again. With `isCheckedElsewhere`, an unusable schema lets every object
 * pass: who gets the arguments checks them.
 */
export function jsonValidator(schema: JsonObject, isCheckedElsewhere = false) {
  const compiled = compile(schema);
  const blind = (why: string) => (isCheckedElsewhere ? [] : [custom([], unusable(why))]);
  const issuesOf = typeof compiled === 'string' ? () => blind(compiled) : compiled;
  return (written: JsonValue): Validation<JsonObject> =>
    validateBy(
      written,
      (value) => {
        const all = issuesOf(value);
        const ofFormat = all.filter(({ code }) => code === 'invalid_format').map(({ path }) => path);
        const issues = all.filter(({ code }) => code !== 'invalid_format');
        if (issues.length > 0) return { success: false, error: { issues } };
        const less = without(value, except(ofFormat, [[]]));
        const data = ofFormat.length > 0 && issuesOf(less).length === 0 ? less : value;
        return isJsonObject(data)
          ? { success: true, data }
          : { success: false, error: { issues: [ofType([], 'object')] } };
      },
      () => schema,
    );
}

function unusable(why: string): string {
  return `cannot be checked, since the schema of this tool cannot be used: ${why}. Only its author can fix it`;
}

/** Why a JSON Schema is unusable; undefined if it is fine. */
export function schemaFault(schema: JsonObject): string | undefined {
  const compiled = compile(schema);
  return typeof compiled === 'string' ? compiled : undefined;
}

/** Limits in ms: for compiling a schema, which is done once, and for validating one value. */
const compilePatience = 5_000;
const patience = 500;

const formats = 'date time date-time duration email idn-email hostname idn-hostname ipv4 ipv6 uri iri uuid'.split(' ');

const lenient = {
  strict: false,
  allErrors: true,
  // Only of what is blank, which fits none of them. Others are ignored.
  formats: Object.fromEntries(formats.map((name) => [name, (text: string) => !isBlank(text)])),
  logger: false,
  // Inherited names, as `constructor` and `toString`, count as missing.
  ownProperties: true,
} as const;

/** Validates schemas. Shared, because creating it takes some 10 ms. */
const draft = new Ajv2020(lenient);

/** The validator, or why there is none. */
function compile({ $schema: _, ...schema }: JsonObject): ((value: JsonValue) => readonly Issue[]) | string {
  const bounded = createBoundedRun();
  // Outside the time limit: the first caller must not pay for compiling the meta-schema.
  expectSchema({});
  const read = (): ValidateFunction => {
    expectSchema(schema);
    // A new one for each try: an interrupted one is unusable.
    return new Ajv2020({ ...lenient, validateSchema: false }).compile(schema);
  };
  try {
    const validate = bounded(read, compilePatience);
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
      const isFitting = bounded(() => fits(value), patience);
      if (isFitting === undefined)
        return [custom([], "must be smaller: to check them against this tool's schema takes too long")];
      if (isFitting) return [];
      // The others only report that something below is wrong.
      const telling = (validate.errors ?? []).filter(({ keyword }) => !['if', '$ref', 'allOf'].includes(keyword));
      return telling.length === 0 ? [custom([], 'must fit the schema of this tool')] : telling.map(issueOf);
    };
  } catch (cause) {
    if (cause instanceof Error) return cause.message.slice(0, 200);
    throw cause;
  }
}

function expectSchema(schema: JsonObject): void {
  if (draft.validateSchema(schema) !== true) throw new Error(`schema is invalid: ${draft.errorsText()}`);
}

/** The problem in the form of zod, so that arguments of all tools are repaired and described in one way. */
function issueOf({ keyword, params, instancePath, message = 'is not valid' }: ErrorObject): Issue {
  const names = instancePath.split('/').slice(1);
  const path = names.map((name) =>
    /^\d{1,9}$/.test(name) ? Number(name) : name.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
  switch (keyword) {
    case 'type': {
      const errors = [params.type].flat().map((type) => [ofType([], String(type))]);
      return { code: 'invalid_union', path, errors, message: invalid };
    }
    case 'enum':
      return { code: 'invalid_value', path, values: params.allowedValues, message: invalid };
    case 'const':
      return { code: 'invalid_value', path, values: [params.allowedValue], message: invalid };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params.additionalProperty ?? params.unevaluatedProperty);
      return { code: 'unrecognized_keys', path, keys: [key], message: invalid };
    }
    case 'format':
      return { code: 'invalid_format', path, format: 'regex', message: invalid };
    case 'required':
      return custom([...path, params.missingProperty], 'expected a value');
    default:
      return custom(path, message.slice(0, 200));
  }
}

/** As zod begins a message that has no words of an author. */
const invalid = 'Invalid input';

function ofType(path: PropertyKey[], type: string): Issue {
  return { code: 'invalid_type', path, expected: type === 'integer' ? 'int' : type, message: invalid };
}

function custom(path: PropertyKey[], message: string): Issue {
  return { code: 'custom', path, message };
}
