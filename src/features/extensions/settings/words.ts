import { catalogue } from '../../../lib/words.ts';

/** What is wrong with plugins, hooks and servers in the config. */
export const extensionSettingWords = catalogue({
  en: {
    ownName: 'Keyturn uses this name itself. Give the channel another.',
    programAlone: ({ name }: { readonly name: string }) =>
      `mcp_servers.${name}.command is a program alone: write its arguments into args.`,
    hookIdle: ({ hook }: { readonly hook: string }) => `${hook} has no effect: plugins.enabled is false.`,
    onlyPlugged:
      "only channels from channel_plugins are enabled: one that is new or has changed can't be trusted in any chat. Enable another channel.",
  },
  zh: {
    ownName: 'Keyturn 自己使用这个名称。给渠道换一个。',
    programAlone: ({ name }) => `mcp_servers.${name}.command 只能是程序：把它的参数写进 args。`,
    hookIdle: ({ hook }) => `${hook} 不起作用：plugins.enabled 是 false。`,
    onlyPlugged: '只开启了 channel_plugins 中的渠道：新的或有改动的渠道，没有聊天可以确认信任。另外开启一个渠道。',
  },
});
