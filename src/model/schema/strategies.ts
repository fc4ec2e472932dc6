/** What a provider takes of JSON Schema: Gemini the least, OpenAI the most; conservative is for servers nobody knows. */
export type SchemaStrategy = 'gemini' | 'anthropic' | 'openai' | 'conservative';

export const schemaStrategies = ['gemini', 'anthropic', 'openai', 'conservative'] as const;

export interface SchemaRules {
  /** `$ref` to a definition at the root stays, and so do the definitions that are needed. */
  readonly keepsReferences: boolean;
  /**
   * `keep`: unions stay, but for the root's, which no provider takes. `plain`: they stay where nothing stands beside
   * them, and a list of types is written as one. `flatten`: one shape for all variants, of one type or of none.
   */
  readonly unions: 'keep' | 'plain' | 'flatten';
  /** The keywords that stay, of those that some strategies remove. */
  readonly keeps: ReadonlySet<string>;
  /** What the names of the root's properties must match. */
  readonly names?: RegExp;
}

const amounts = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;
const sizes = ['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'format'] as const;
const places = ['additionalProperties', 'patternProperties', 'examples'] as const;

export const schemaRules: Readonly<Record<SchemaStrategy, SchemaRules>> = {
  gemini: { keepsReferences: false, unions: 'flatten', keeps: new Set() },
  anthropic: {
    keepsReferences: false,
    unions: 'keep',
    keeps: new Set([...amounts, ...sizes, ...places, 'prefixItems']),
    names: /^[\w.-]{1,64}$/,
  },
  openai: {
    keepsReferences: true,
    unions: 'keep',
    keeps: new Set([
      ...amounts,
      ...sizes,
      ...places,
      ...['minLength', 'maxLength', 'pattern', 'not', 'if', 'contains', 'dependentRequired'],
    ]),
  },
  conservative: { keepsReferences: false, unions: 'plain', keeps: new Set(['minimum', 'maximum']) },
};
