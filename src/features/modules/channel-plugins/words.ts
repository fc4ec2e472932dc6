import { apart } from '../../../lib/settings/words.ts';
import { catalogue } from '../../../lib/words.ts';

/** Channels that others have written. Reasons have no subject. */
export const channelPluginWords = catalogue({
  en: {
    title: ({ name }: Named) => `The channel ${name}`,
    /** `path`, `name`: as code. */
    intro: ({ where }: { readonly where: { readonly path: string } | { readonly package: string } }) =>
      `A channel that \`channel_plugins\` of the config names: ${'path' in where ? where.path : `the package ${where.package}`}. It runs within Keyturn, can do whatever Keyturn can, and says who it is that writes there.`,
    needsTrust: 'An owner has to trust it first, as it is now: /trust shows it.',
    broken: 'It could not be loaded or started. /status tells owners why.',
    doesNotRun: ({ name, fault, isRetried }: Named & { readonly fault: string; readonly isRetried: boolean }) =>
      `⚠️ The channel ${name} does not run: ${fault}${isRetried ? ' It is tried again by itself; /status tells how it is.' : ''}`,
    noChannel: 'exports no channel: export what defineChannel of "@keyturn/sdk/channel" makes',
    /** `name`: as JSON. */
    otherChannel: ({ name }: Named) => `exports the channel ${name}: give it that name in channel_plugins`,
    unknownKey: ({ place }: { readonly place: string }) => `${place}: unknown key`,
    expected: ({ expected }: { readonly expected: string }) => `expected ${expected}`,
    badSetting: ({ place, fault, advice }: BadSetting) =>
      `${place}: ${fault}${advice === undefined ? '' : `. ${advice}`}`,
    badSettings: ({ problems }: { readonly problems: readonly string[] }) =>
      `does not take its settings: ${problems.join('; ')}`,
    absent: ({ path }: Path) => `does not exist: there is no ${path}`,
    unnamed: ({ path }: Path) => `has "exports" but no "name" in ${path}: give it one`,
    noIndex: ({ names, path }: Path & { readonly names: readonly string[] }) =>
      `has no ${names.join(', ')} in ${path}, and no package.json names one`,
    notInstalled: ({ name, path }: Named & Path) =>
      `is not installed, or exports nothing: run "npm install ${name}" in ${path}`,
    noAdapter: 'makes no adapter: it lacks measure, start, stop or send',
    badCapabilities: 'makes an adapter without proper capabilities: see ChannelCapabilities in "@keyturn/sdk/channel"',
    unanswered: 'the channel has not answered for five minutes',
    faulty: ({ error }: { readonly error: string }) => `The channel has a fault: ${error}`,
  },
  zh: {
    title: ({ name }) => `渠道 ${name}`,
    intro: ({ where }) =>
      `配置的 \`channel_plugins\` 指定的渠道：${'path' in where ? where.path : `包 ${where.package}`}。它在 Keyturn 内部运行，能做 Keyturn 能做的一切，消息由谁发出也由它来说。`,
    needsTrust: '需要所有者先信任它的现状：发送 /trust 查看。',
    broken: '无法加载或启动。所有者可用 /status 查看原因。',
    doesNotRun: ({ name, fault, isRetried }) =>
      `⚠️ 渠道 ${name} 未运行：${fault}${isRetried ? '会自动重试，用 /status 查看状态。' : ''}`,
    noChannel: '没有导出渠道：导出 "@keyturn/sdk/channel" 的 defineChannel 的返回值',
    otherChannel: ({ name }) => `导出的渠道是 ${name}：在 channel_plugins 中使用这个名称`,
    unknownKey: ({ place }) => `${place}：未知的键`,
    expected: ({ expected }) => `应为${apart(expected)}`,
    badSetting: ({ place, fault, advice }) => `${place}：${fault}${advice === undefined ? '' : `。${advice}`}`,
    badSettings: ({ problems }) => `不接受它的设置：${problems.join('；')}`,
    absent: ({ path }) => `不存在：没有 ${path}`,
    unnamed: ({ path }) => `${path} 中有 "exports" 而没有 "name"：加上名称`,
    noIndex: ({ names, path }) => `${path} 中没有 ${names.join('、')}，也没有 package.json 指定入口`,
    notInstalled: ({ name, path }) => `尚未安装，或没有导出任何内容：在 ${path} 中运行 "npm install ${name}"`,
    noAdapter: '返回的不是适配器：缺少 measure、start、stop 或 send',
    badCapabilities: '返回的适配器没有正确的 capabilities：见 "@keyturn/sdk/channel" 的 ChannelCapabilities',
    unanswered: '渠道已有五分钟没有回应',
    faulty: ({ error }) => `渠道有故障：${error}`,
  },
});

interface Named {
  readonly name: string;
}

interface Path {
  readonly path: string;
}

/** `place`: its keys. `advice`: a sentence. */
interface BadSetting {
  readonly place: string;
  readonly fault: string;
  readonly advice: string | undefined;
}
