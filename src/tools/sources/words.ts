import { catalogue } from '../../lib/words.ts';

/** What is wrong with the parameters of a tool, for operators and authors. Begins as a schema says what it expects. */
export const parameterWords = catalogue({
  en: {
    form: 'expected a type such as "string", or { "param_type", "description", "required" }; a JSON Schema of all parameters has "type": "object"',
    type: ({ types, guess }: { readonly types: readonly string[]; readonly guess: string | undefined }) =>
      `expected one of ${types.map((type) => `"${type}"`).join(', ')}${guess === undefined ? '' : ` (did you mean "${guess}"?)`}`,
  },
  zh: {
    form: '应为 "string" 这样的类型，或 { "param_type", "description", "required" }；描述全部参数的 JSON Schema 含有 "type": "object"',
    type: ({ types, guess }) =>
      `应为 ${types.map((type) => `"${type}"`).join('、')} 之一${guess === undefined ? '' : `（是不是想写 "${guess}"？）`}`,
  },
});
