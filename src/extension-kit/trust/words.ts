import type { TrustKind } from '../../feature-points.ts';
import { catalogue } from '../../lib/words.ts';

/** What waits for trust or is trusted, as owners hear of it. Names are given in markdown. */
export const trustWords = catalogue({
  en: {
    subject: ({ kind, name }: Subject) => `${enKinds[kind]} ${name}`,
    /** The same at the beginning of a sentence. */
    subjectFirst: ({ kind, name }: Subject) => `${enKindsFirst[kind]} ${name}`,
    news: ({ subject, isChanged }: { readonly subject: string; readonly isChanged: boolean }) =>
      `🔑 ${subject} ${isChanged ? 'has changed since it was trusted, and is off until an owner trusts it as it is now.' : 'is new here, and is off until an owner trusts it as it is.'}`,
    newsOfSeveral:
      '🔑 These are new here, or have changed since they were trusted, and are off until an owner trusts them as they are:',
    nothingAsked: 'Nothing waits to be trusted.',
    offUntilTrusted: 'These are off until an owner trusts them:',
    changed: ({ subject, became, undo }: Changed) => {
      switch (became) {
        case 'trusted':
          return `🔑 Trusted: ${subject}. ${undo} undoes it.`;
        case 'distrusted':
          return `No longer trusted: ${subject}. It is off.`;
        case 'refused':
          return `Refused: ${subject}. It stays off.`;
      }
    },
  },
  zh: {
    subject: ({ kind, name }) => `${zhKinds[kind]} ${name}`,
    subjectFirst: ({ kind, name }) => `${zhKinds[kind]} ${name}`,
    news: ({ subject, isChanged }) =>
      `🔑 ${subject} ${isChanged ? '在信任之后有改动，已停用，所有者重新信任后才会启用。' : '是新出现的，尚未启用，所有者信任后才会启用。'}`,
    newsOfSeveral: '🔑 以下内容是新出现的，或在信任之后有改动，所有者信任后才会启用：',
    nothingAsked: '没有等待信任的内容。',
    offUntilTrusted: '以下内容已停用，所有者信任后才会启用：',
    changed: ({ subject, became, undo }) => {
      switch (became) {
        case 'trusted':
          return `🔑 已信任：${subject}。${undo} 可撤销。`;
        case 'distrusted':
          return `不再信任：${subject}。它已停用。`;
        case 'refused':
          return `已拒绝：${subject}。它保持停用。`;
      }
    },
  },
});

const enKinds: Readonly<Record<TrustKind, string>> = {
  plugin: 'the plugin',
  channel_plugin: 'the channel plugin',
  tool_module: 'the tool module',
  mcp_tool: 'the MCP tool',
};

const enKindsFirst: Readonly<Record<TrustKind, string>> = {
  plugin: 'The plugin',
  channel_plugin: 'The channel plugin',
  tool_module: 'The tool module',
  mcp_tool: 'The MCP tool',
};

const zhKinds: Readonly<Record<TrustKind, string>> = {
  plugin: '插件',
  channel_plugin: '渠道插件',
  tool_module: '工具模块',
  mcp_tool: 'MCP 工具',
};

interface Subject {
  readonly kind: TrustKind;
  readonly name: string;
}

interface Changed {
  readonly subject: string;
  readonly became: 'trusted' | 'distrusted' | 'refused';
  /** The command that undoes it. */
  readonly undo: string;
}
