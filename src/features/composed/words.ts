import { catalogue } from '../../lib/words.ts';

/** Tools made in chats, for people. Names of tools are given in markdown. */
export const composedWords = catalogue({
  en: {
    /** The name of the tool that makes them, on cards. */
    toolName: 'Create a tool',
    menu: {
      composed: {
        description: 'Show or remove the tools that were made from instructions',
        argument: '[remove NAME]',
        help: '`/composed`: tools that were made in a chat',
      },
    },
    usage: 'Say `/composed`, or `/composed remove NAME`.',
    list: ({ tools }: { readonly tools: readonly ToolWords[] }) =>
      tools.length === 0
        ? 'No tools were made in a chat.'
        : [
            'Tools made from instructions:',
            ...tools.map(({ name, author, description }) => `- ${name}, made for ${author}: ${description}`),
            '',
            'Remove one with `/composed remove NAME`.',
          ].join('\n'),
    whichToRemove: 'Say which: `/composed remove NAME`. `/composed` shows the names.',
    noSuchTool: ({ name }: { readonly name: string }) =>
      `No tool ${name} was made in a chat. \`/composed\` shows those that were.`,
    notYours: 'Only an owner, or the person who had it made, can remove it.',
    removed: ({ name }: { readonly name: string }) => `Removed: ${name} is no longer a tool.`,
    made: ({ name, removal }: { readonly name: string; readonly removal: string }) =>
      `🧩 There is a new tool: ${name}. ${removal} takes it away.`,
    // What a call does, after "May I".
    make: ({ name, action }: { readonly name: string; readonly action: string }) =>
      `make the tool ${name}, which does: ${action}`,
    use: ({ description, values }: { readonly description: string; readonly values: string }) =>
      `${description}, with ${values}`,
  },
  zh: {
    toolName: '制作工具',
    menu: {
      composed: {
        description: '查看或移除用指令制作的工具',
        argument: '[remove 名称]',
        help: '`/composed`：在聊天中制作的工具',
      },
    },
    usage: '发送 `/composed`，或 `/composed remove 名称`。',
    list: ({ tools }) =>
      tools.length === 0
        ? '还没有在聊天中制作过工具。'
        : [
            '用指令制作的工具：',
            ...tools.map(({ name, author, description }) => `- ${name}，为 ${author} 制作：${description}`),
            '',
            '用 `/composed remove 名称` 移除其中一个。',
          ].join('\n'),
    whichToRemove: '要移除哪一个？发送 `/composed remove 名称`。`/composed` 会列出名称。',
    noSuchTool: ({ name }) => `没有在聊天中制作过名为 ${name} 的工具。\`/composed\` 会列出现有的。`,
    notYours: '只有所有者或让我制作它的人可以移除它。',
    removed: ({ name }) => `已移除：${name} 不再是工具。`,
    made: ({ name, removal }) => `🧩 有了新工具：${name}。发送 ${removal} 可移除它。`,
    make: ({ name, action }) => `制作工具 ${name}，它的用途：${action}`,
    use: ({ description, values }) => `${description}，参数：${values}`,
  },
});

interface ToolWords {
  readonly name: string;
  readonly author: string;
  readonly description: string;
}
