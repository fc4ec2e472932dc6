import { catalogue } from '../../../lib/words.ts';

/** What is wrong with plugins and hooks in the config. Paths are as they are. */
export const pluginSettingWords = catalogue({
  en: {
    hookIdle: ({ hook }: { readonly hook: string }) => `${hook} has no effect: plugins.enabled is false.`,
    noJson: ({ file }: File) => `${file} is not JSON.`,
    noProgram: ({ file, program }: File & { readonly program: string }) =>
      `${file} names the program "${program}", which is not there.`,
    noPlugin: ({ plugin }: { readonly plugin: string }) => `there is no plugin "${plugin}" in plugins.plugin_dirs.`,
    pluginName: 'expected the name of a plugin, as in its plugin.json',
  },
  zh: {
    hookIdle: ({ hook }) => `${hook} 不起作用：plugins.enabled 是 false。`,
    noJson: ({ file }) => `${file} 不是 JSON。`,
    noProgram: ({ file, program }) => `${file} 指定的程序 "${program}" 不存在。`,
    noPlugin: ({ plugin }) => `plugins.plugin_dirs 中没有插件 "${plugin}"。`,
    pluginName: '应为插件的名称，与它的 plugin.json 一致',
  },
});

interface File {
  readonly file: string;
}
