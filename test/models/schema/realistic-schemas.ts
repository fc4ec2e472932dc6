import type { JsonObject } from '../../../src/lib/json.ts';

/** Schemas as servers of tools send them, each with calls that they accept. */
export const realisticSchemas: readonly {
  readonly name: string;
  readonly schema: JsonObject;
  readonly samples: readonly JsonObject[];
}[] = [
  {
    name: 'list_resources',
    schema: {
      type: 'object',
      properties: {
        cursor: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
        limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
    },
    samples: [{ cursor: null, limit: 5 }, {}],
  },
  {
    name: 'create_issue',
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 256 },
        labels: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        assignee: { type: ['string', 'null'] },
      },
      required: ['title'],
    },
    samples: [{ title: 'x', labels: ['a'], assignee: null }],
  },
  {
    name: 'edit_files',
    schema: {
      type: 'object',
      properties: { edits: { type: 'array', minItems: 1, items: { $ref: '#/$defs/Edit' } } },
      required: ['edits'],
      $defs: {
        Edit: {
          type: 'object',
          properties: { old: { type: 'string' }, 'new': { type: 'string' } },
          required: ['old', 'new'],
        },
      },
    },
    samples: [{ edits: [{ old: 'a', 'new': 'b' }] }],
  },
  {
    name: 'query_database',
    schema: {
      type: 'object',
      properties: {
        sql: { type: 'string' },
        params: {
          type: 'array',
          items: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
        },
      },
      required: ['sql'],
    },
    samples: [{ sql: 'select', params: [1, 'a', null, true] }],
  },
  {
    name: 'draw_shape',
    schema: {
      type: 'object',
      properties: {
        shape: {
          oneOf: [
            {
              type: 'object',
              properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
              required: ['kind', 'radius'],
            },
            {
              type: 'object',
              properties: { kind: { const: 'box' }, width: { type: 'number' }, height: { type: 'number' } },
              required: ['kind', 'width', 'height'],
            },
          ],
        },
      },
      required: ['shape'],
    },
    samples: [{ shape: { kind: 'circle', radius: 2 } }, { shape: { kind: 'box', width: 1, height: 2 } }],
  },
  {
    name: 'update_item',
    schema: {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' }, state: { type: 'string' } },
      required: ['id'],
      anyOf: [{ required: ['name'] }, { required: ['state'] }],
    },
    samples: [
      { id: '1', name: 'n' },
      { id: '1', state: 's' },
    ],
  },
  {
    name: 'send_mail',
    schema: {
      type: 'object',
      properties: {
        to: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['to'],
    },
    samples: [{ to: ['a'], headers: { X: 'y' } }, { to: 'a' }],
  },
  {
    name: 'filter_rows',
    schema: {
      type: 'object',
      properties: { filter: { $ref: '#/definitions/Filter' } },
      required: ['filter'],
      definitions: {
        Filter: {
          type: 'object',
          properties: {
            and: { type: 'array', items: { $ref: '#/definitions/Filter' } },
            field: { type: 'string' },
            equals: true,
          },
        },
      },
    },
    samples: [{ filter: { and: [{ field: 'a', equals: [1] }] } }],
  },
  {
    name: 'crop_image',
    schema: {
      type: 'object',
      properties: {
        size: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }], minItems: 2, maxItems: 2 },
      },
      required: ['size'],
    },
    samples: [{ size: [1, 2] }],
  },
  {
    name: 'search_notes',
    schema: {
      $ref: '#/definitions/Search',
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: {
        Search: {
          type: 'object',
          properties: {
            query: { type: 'string' },
            tags: { type: 'object', patternProperties: { '^t': { type: 'string' } }, additionalProperties: false },
          },
          required: ['query'],
        },
      },
    },
    samples: [{ query: 'q', tags: { t1: 'x' } }],
  },
  {
    name: 'schedule_job',
    schema: {
      type: 'object',
      properties: {
        cron: { type: 'string', pattern: '^\\S+ \\S+$' },
        zone: { type: 'string', default: 'UTC' },
        every: { allOf: [{ type: 'integer' }, { minimum: 1 }] },
      },
    },
    samples: [{ cron: '* *', every: 1 }],
  },
  {
    name: 'pay',
    schema: {
      type: 'object',
      properties: {
        amount: { type: 'number', exclusiveMinimum: 0 },
        card: { type: 'string' },
        address: { type: 'string' },
      },
      required: ['amount'],
      dependentRequired: { card: ['address'] },
    },
    samples: [{ amount: 1, card: 'c', address: 'x' }, { amount: 1 }],
  },
  {
    name: 'conditional',
    schema: {
      type: 'object',
      properties: { mode: { type: 'string', enum: ['a', 'b'] }, value: {} },
      required: ['mode'],
      if: { properties: { mode: { const: 'a' } } },
      else: { required: ['value'] },
    },
    samples: [{ mode: 'a' }, { mode: 'b', value: 1 }],
  },
];
