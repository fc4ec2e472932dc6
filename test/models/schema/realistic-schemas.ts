import type { JsonObject } from '../../../src/lib/json.ts';

const [text, number, integer, nothing] = [
  { type: 'string' },
  { type: 'number' },
  { type: 'integer' },
  { type: 'null' },
];
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

function object(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** Schemas as servers of tools send them, each with calls that they accept. */
export const realisticSchemas: readonly {
  readonly name: string;
  readonly schema: JsonObject;
  readonly samples: readonly JsonObject[];
}[] = [
  {
    name: 'list_resources',
    schema: object({ cursor: { anyOf: [text, nothing], default: null }, limit: { anyOf: [integer, nothing] } }),
    samples: [{ cursor: null, limit: 5 }, {}],
  },
  {
    name: 'create_issue',
    schema: object(
      {
        title: { ...text, minLength: 1, maxLength: 256 },
        labels: { ...listOf(text), uniqueItems: true },
        assignee: { type: ['string', 'null'] },
      },
      'title',
    ),
    samples: [{ title: 'x', labels: ['a'], assignee: null }],
  },
  {
    name: 'edit_files',
    schema: {
      ...object({ edits: { ...listOf({ $ref: '#/$defs/Edit' }), minItems: 1 } }, 'edits'),
      $defs: { Edit: object({ old: text, 'new': text }, 'old', 'new') },
    },
    samples: [{ edits: [{ old: 'a', 'new': 'b' }] }],
  },
  {
    name: 'query_database',
    schema: object({ sql: text, params: listOf({ anyOf: [text, number, { type: 'boolean' }, nothing] }) }, 'sql'),
    samples: [{ sql: 'select', params: [1, 'a', null, true] }],
  },
  {
    name: 'draw_shape',
    schema: object(
      {
        shape: {
          oneOf: [
            object({ kind: { const: 'circle' }, radius: number }, 'kind', 'radius'),
            object({ kind: { const: 'box' }, width: number, height: number }, 'kind', 'width', 'height'),
          ],
        },
      },
      'shape',
    ),
    samples: [{ shape: { kind: 'circle', radius: 2 } }, { shape: { kind: 'box', width: 1, height: 2 } }],
  },
  {
    name: 'update_item',
    schema: {
      ...object({ id: text, name: text, state: text }, 'id'),
      anyOf: [{ required: ['name'] }, { required: ['state'] }],
    },
    samples: [
      { id: '1', name: 'n' },
      { id: '1', state: 's' },
    ],
  },
  {
    name: 'send_mail',
    schema: object(
      { to: { anyOf: [text, listOf(text)] }, headers: { type: 'object', additionalProperties: text } },
      'to',
    ),
    samples: [{ to: ['a'], headers: { X: 'y' } }, { to: 'a' }],
  },
  {
    name: 'filter_rows',
    schema: {
      ...object({ filter: { $ref: '#/definitions/Filter' } }, 'filter'),
      definitions: { Filter: object({ and: listOf({ $ref: '#/definitions/Filter' }), field: text, equals: true }) },
    },
    samples: [{ filter: { and: [{ field: 'a', equals: [1] }] } }],
  },
  {
    name: 'crop_image',
    schema: object({ size: { type: 'array', prefixItems: [integer, integer], minItems: 2, maxItems: 2 } }, 'size'),
    samples: [{ size: [1, 2] }],
  },
  {
    name: 'search_notes',
    schema: {
      $ref: '#/definitions/Search',
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: {
        Search: object(
          { query: text, tags: { type: 'object', patternProperties: { '^t': text }, additionalProperties: false } },
          'query',
        ),
      },
    },
    samples: [{ query: 'q', tags: { t1: 'x' } }],
  },
  {
    name: 'schedule_job',
    schema: object({
      cron: { ...text, pattern: '^\\S+ \\S+$' },
      zone: { ...text, default: 'UTC' },
      every: { allOf: [integer, { minimum: 1 }] },
    }),
    samples: [{ cron: '* *', every: 1 }],
  },
  {
    name: 'pay',
    schema: {
      ...object({ amount: { ...number, exclusiveMinimum: 0 }, card: text, address: text }, 'amount'),
      dependentRequired: { card: ['address'] },
    },
    samples: [{ amount: 1, card: 'c', address: 'x' }, { amount: 1 }],
  },
  {
    name: 'conditional',
    schema: {
      ...object({ mode: { ...text, enum: ['a', 'b'] }, value: {} }, 'mode'),
      if: { properties: { mode: { const: 'a' } } },
      else: { required: ['value'] },
    },
    samples: [{ mode: 'a' }, { mode: 'b', value: 1 }],
  },
];
