import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { normaliseSchema } from '../../../src/model/schema/normalise-schema.ts';
import { schemaStrategies } from '../../../src/model/schema/strategies.ts';
import { faultsIn, validators } from './checks.ts';
import { everythingTools, type ServedTool } from './everything-server.ts';

const validatorOf = validators();
let tools: readonly ServedTool[] = [];
beforeAll(async () => {
  tools = await everythingTools();
}, 30_000);

describe.each(schemaStrategies)('for %s', (strategy) => {
  test("each tool of MCP's reference server has a schema that the provider takes, for the same calls", () => {
    expect(tools.length).toBeGreaterThan(8);
    for (const { name, inputSchema } of tools) {
      const result = normaliseSchema(inputSchema, strategy);
      expect([name, faultsIn(result, strategy)]).toEqual([name, []]);
      expect([name, Object.keys(propertiesOf(result))]).toEqual([name, Object.keys(propertiesOf(inputSchema))]);
      for (const sample of samplesOf(inputSchema)) {
        const accepted = [inputSchema, result].map((schema) => validatorOf(schema)(sample));
        expect([name, sample, accepted]).toEqual([name, sample, [true, true]]);
      }
    }
  });
});

/** Calls that the schema accepts: with all parameters, and with what it requires. */
function samplesOf(schema: JsonObject): readonly JsonObject[] {
  const all = Object.entries(propertiesOf(schema)).map(([name, property]) => [name, sampleOf(property)] as const);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return [Object.fromEntries(all), Object.fromEntries(all.filter(([name]) => required.includes(name)))];
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function sampleOf(property: JsonValue | undefined): JsonValue {
  if (!isJsonObject(property)) return null;
  if (property.default !== undefined) return property.default;
  if (Array.isArray(property.enum)) return property.enum[0] ?? null;
  switch (property.type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'text';
  }
}
