import { catalogue } from '../../lib/words.ts';

/** Memories and pinned facts, for people. Names and texts are given in markdown. */
export const memoryWords = catalogue({
  en: {
    /** The names of tools, on cards. */
    names: { memory_store: 'Remember', memory_search: 'Search memory', memory_forget: 'Forget' },
    menu: {
      pin: {
        description: 'Keep a fact in mind in this conversation',
        argument: 'TEXT',
        help: '`/pin TEXT`, `/pins`, `/unpin N`: facts that I always keep in mind here',
      },
      pins: { description: 'Show the pinned facts', argument: '', help: '' },
      unpin: { description: 'Take a pinned fact away', argument: 'N or all', help: '' },
    },
    whatToPin: 'Say what: `/pin TEXT`. I keep it in mind here, whatever else is summarised or left out.',
    tooLong: ({ length, most }: { readonly length: number; readonly most: number }) =>
      `Not pinned: a fact has at most ${most} characters, and this has ${length}. Say it in fewer words, or pin it in parts.`,
    pinned: ({ number }: { readonly number: number }) =>
      `📌 Pinned as ${number}. I keep it in mind here until you say \`/unpin ${number}\`.`,
    known: ({ number }: { readonly number: number }) => `That is pinned already, as ${number}.`,
    full: ({ most }: { readonly most: number }) =>
      `Not pinned: ${most} facts are pinned here, which is as many as there may be. \`/pins\` shows them, \`/unpin N\` takes one away.`,
    whichToUnpin: 'Say which: `/unpin N` or `/unpin all`. `/pins` shows the numbers.',
    nothingToUnpin: 'Nothing was pinned here.',
    unpinnedAll: ({ count }: { readonly count: number }) =>
      count === 1 ? 'Unpinned the one fact.' : `Unpinned all ${count} facts.`,
    unpinned: ({ text }: { readonly text: string }) => `Unpinned: ${text}`,
    noSuchFact: ({ number }: { readonly number: number }) =>
      `No fact is pinned here as ${number}. \`/pins\` shows those that are.`,
    list: ({ facts }: { readonly facts: readonly FactWords[] }) =>
      facts.length === 0
        ? 'Nothing is pinned here. `/pin TEXT` has me keep a fact in mind.'
        : [
            'Pinned here:',
            ...facts.map(({ number, name, text }) => `- \`${number}\`, by ${name}: ${text}`),
            '',
            'Take one away with `/unpin N`, or all with `/unpin all`.',
          ].join('\n'),
    // What a call does, after "May I".
    remember: ({ text }: { readonly text: string }) => `remember ${text}`,
    listMemories: 'list the newest memories',
    searchMemory: ({ query }: { readonly query: string }) => `search the memory for ${query}`,
    forget: ({ id }: { readonly id: string }) => `forget the memory ${id}`,
  },
  zh: {
    names: { memory_store: '记住', memory_search: '搜索记忆', memory_forget: '忘记' },
    menu: {
      pin: {
        description: '在这个对话中置顶一条内容',
        argument: '内容',
        help: '`/pin 内容`、`/pins`、`/unpin N`：我在这里会一直记住的内容',
      },
      pins: { description: '查看置顶的内容', argument: '', help: '' },
      unpin: { description: '取消置顶一条内容', argument: 'N 或 all', help: '' },
    },
    whatToPin: '要置顶什么？发送 `/pin 内容`。不管其他内容是否被总结或省略，我在这里都会记住它。',
    tooLong: ({ length, most }) => `未置顶：一条最多 ${most} 个字符，这条有 ${length} 个。缩短一些，或分成几条。`,
    pinned: ({ number }) => `📌 已置顶为第 ${number} 条。我在这里会一直记住它，直到你发送 \`/unpin ${number}\`。`,
    known: ({ number }) => `这条已经置顶，是第 ${number} 条。`,
    full: ({ most }) => `未置顶：这里已置顶 ${most} 条，达到上限。\`/pins\` 会列出它们，\`/unpin N\` 可取消其中一条。`,
    whichToUnpin: '要取消置顶哪一条？发送 `/unpin N` 或 `/unpin all`。`/pins` 会列出编号。',
    nothingToUnpin: '这里没有置顶的内容。',
    unpinnedAll: ({ count }) => (count === 1 ? '已取消置顶这一条。' : `已取消置顶全部 ${count} 条。`),
    unpinned: ({ text }) => `已取消置顶：${text}`,
    noSuchFact: ({ number }) => `这里没有置顶的第 ${number} 条。\`/pins\` 会列出现有的。`,
    list: ({ facts }) =>
      facts.length === 0
        ? '这里还没有置顶的内容。用 `/pin 内容` 让我记住一条。'
        : [
            '这里置顶的内容：',
            ...facts.map(({ number, name, text }) => `- \`${number}\`，来自 ${name}：${text}`),
            '',
            '用 `/unpin N` 取消一条，用 `/unpin all` 取消全部。',
          ].join('\n'),
    remember: ({ text }) => `记住 ${text}`,
    listMemories: '列出最新的记忆',
    searchMemory: ({ query }) => `在记忆中搜索 ${query}`,
    forget: ({ id }) => `忘记 ID 为 ${id} 的记忆`,
  },
});

interface FactWords {
  readonly number: number;
  /** Who has pinned it. */
  readonly name: string;
  readonly text: string;
}
