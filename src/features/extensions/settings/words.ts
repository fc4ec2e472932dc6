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
    serverName: 'a name of at most 32 letters, digits, "_" or "-": its tools begin with it',
    channelName: 'expected a name of small letters, digits and "-", as the channel calls itself',
    packageName: 'expected the name of an npm package',
    pluginName: 'expected the name of a plugin, as in its plugin.json',
    commandOrUrl: 'expected "command", or "url" in its place',
    either: ({ keys }: { readonly keys: readonly string[] }) => `either "${keys.join('" or "')}" is needed, not both`,
    noEffect: ({ with: key }: { readonly with: string }) => `this has no effect with "${key}". Remove it`,
    ownFolder: 'expected a folder of its own: with sandbox, it may write there',
  },
  zh: {
    ownName: 'Keyturn 自己使用这个名称。给渠道换一个。',
    programAlone: ({ name }) => `mcp_servers.${name}.command 只能是程序：把它的参数写进 args。`,
    hookIdle: ({ hook }) => `${hook} 不起作用：plugins.enabled 是 false。`,
    onlyPlugged: '只开启了 channel_plugins 中的渠道：新的或有改动的渠道，没有聊天可以确认信任。另外开启一个渠道。',
    serverName: '名称最多有 32 个字母、数字、"_" 或 "-"：它的工具以此开头',
    channelName: '应为由小写字母、数字和 "-" 组成的名称，即渠道自己的名称',
    packageName: '应为 npm 包的名称',
    pluginName: '应为插件的名称，与它的 plugin.json 一致',
    commandOrUrl: '应为 "command"，或改用 "url"',
    either: ({ keys }) => `需要 "${keys.join('" 或 "')}"，不能同时写`,
    noEffect: ({ with: key }) => `有 "${key}" 时这一项不起作用。删去它`,
    ownFolder: '应为它专用的文件夹：启用 sandbox 时，它可以写那里',
  },
});
