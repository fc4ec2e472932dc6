import { catalogue } from '../../../../lib/words.ts';
import type { ToolCategory } from '../../../../tools/tool.ts';

/** The answers of `/tools`. Names are given in markdown. */
export const toolListWords = catalogue({
  en: {
    toolsHere: ({ lines }: Lines) => ['Tools here:', ...lines].join('\n'),
    toolsByGroup: ({ lines, more, off }: Lines & ToolCounts) =>
      [
        `Tools here: ${asking} asks first`,
        ...lines,
        ...(more === 0 ? [] : [`- and ${more} more`]),
        ...(off === 0 ? [] : [`- off in this mode: ${off}`]),
      ].join('\n'),
    toolGroup: ({ group, tools, more }: ToolGroup) =>
      `- **${group}**: ${tools.join(', ')}${more === 0 ? '' : ` and ${more} more`}`,
    toolName: ({ name, asks }: { readonly name: string; readonly asks: boolean }) =>
      asks ? `${asking} ${name}` : name,
    toolGroups: {
      filesystem_read: 'Read files',
      filesystem_write: 'Change files',
      shell: 'Run commands',
      network_read: 'Read the web',
      network_write: 'Send to the web',
      memory: 'Remember and plan',
      messaging: 'Write to others',
      hardware: 'Devices and hardware',
      destructive: 'What cannot be undone',
    } satisfies Readonly<Record<ToolCategory, string>>,
    buttonShowAll: 'Show all',
    buttonShowLess: 'Show less',
    moreTools: ({ count, source }: { readonly count: number; readonly source: string }) =>
      `- and ${count} more of ${source}`,
    toolLine: ({ name, source, category, permission, used }: ToolLine) => {
      const permissions = { asks: 'asks first', never: 'never asks', off: 'not available in this mode' };
      const line = `- ${name} (${source}, ${category}): ${permissions[permission]}`;
      if (used === undefined) return line;
      return `${line}; used ${used.count}×, ${used.failure} failed${used.isFailing ? ' (⚠️ keeps failing)' : ''}, ${used.average} ms on average`;
    },
  },
  zh: {
    toolsHere: ({ lines }) => ['这里的工具：', ...lines].join('\n'),
    toolsByGroup: ({ lines, more, off }) =>
      [
        `这里的工具：${asking} 表示先询问`,
        ...lines,
        ...(more === 0 ? [] : [`- 另有 ${more} 个`]),
        ...(off === 0 ? [] : [`- 当前模式下不可用：${off} 个`]),
      ].join('\n'),
    toolGroup: ({ group, tools, more }) =>
      `- **${group}**：${tools.join('、')}${more === 0 ? '' : `，另有 ${more} 个`}`,
    toolName: ({ name, asks }) => (asks ? `${asking} ${name}` : name),
    toolGroups: {
      filesystem_read: '读取文件',
      filesystem_write: '修改文件',
      shell: '运行命令',
      network_read: '读取网页',
      network_write: '向网络发送',
      memory: '记忆和计划',
      messaging: '给他人发消息',
      hardware: '设备和硬件',
      destructive: '无法撤销的操作',
    },
    buttonShowAll: '显示全部',
    buttonShowLess: '收起',
    moreTools: ({ count, source }) => `- 另有 ${count} 个来自 ${source}`,
    toolLine: ({ name, source, category, permission, used }) => {
      const permissions = { asks: '先询问', never: '不询问', off: '当前模式下不可用' };
      const line = `- ${name}（${source}，${category}）：${permissions[permission]}`;
      if (used === undefined) return line;
      return `${line}；用过 ${used.count} 次，失败 ${used.failure} 次${used.isFailing ? '（⚠️ 持续失败）' : ''}，平均 ${used.average} 毫秒`;
    },
  },
});

interface Lines {
  readonly lines: readonly string[];
}

/** The sign of what asks. */
const asking = '✋';

interface ToolCounts {
  /** How many are not listed. */
  readonly more: number;
  /** How many the mode forbids. */
  readonly off: number;
}

interface ToolGroup {
  readonly group: string;
  readonly tools: readonly string[];
  readonly more: number;
}

interface ToolLine {
  readonly name: string;
  readonly source: string;
  readonly category: string;
  readonly permission: 'asks' | 'never' | 'off';
  readonly used:
    | { readonly count: number; readonly failure: number; readonly isFailing: boolean; readonly average: number }
    | undefined;
}
