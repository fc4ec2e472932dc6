import { catalogue } from '../../../lib/words.ts';

/** What is wrong with composed tools in the config. */
export const composedSettingWords = catalogue({
  en: {
    builtinName: 'a builtin tool has the same name. Choose another.',
    customName: 'a tool in custom_tools has the same name. Choose another.',
    undeclared: ({ name }: { readonly name: string }) => `{{${name}}} is not one of the parameters: declare it there.`,
  },
  zh: {
    builtinName: '有同名的内置工具。换一个名称。',
    customName: 'custom_tools 中有同名的工具。换一个名称。',
    undeclared: ({ name }) => `{{${name}}} 不是参数：在 parameters 中声明它。`,
  },
});
